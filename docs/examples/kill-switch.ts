// A dead man's switch: as long as the strategy is alive, the exchange hears from it. When it is not, for whatever reason, the exchange cancels its
// orders. The switch is set before the first order is placed, and a strategy whose switch cannot be set stops.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import { exhaustMap, firstValueFrom, Subject, takeUntil, throttleTime } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';

// Given up long before the switch fires: the next beat tries again.
const beat = () => exchange.orders.setKillSwitch({ market, timeout: 5 }, { callTimeoutMs: 1500 });

const alive$ = new Subject<void>(); // the strategy says so after each of its rounds
const dead$ = new Subject<void>();
const unprotected = new AbortController();
await firstValueFrom(beat());
alive$.pipe(throttleTime(1000), exhaustMap(beat), takeUntil(dead$)).subscribe({
  error: (error: unknown) => {
    unprotected.abort(error);
  },
});

const openOrders = () => firstValueFrom(exchange.orders.open({ market }));

await firstValueFrom(exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '50000' }));
for (let round = 0; round < 10 && !unprotected.signal.aborted; round += 1) {
  alive$.next();
  await sleep(100);
}
console.log('alive, open orders:', (await openOrders()).length);
await sleep(5500); // it hangs
console.log('silent, open orders:', (await openOrders()).length);
dead$.next();
