// A dead man's switch: as long as the strategy is alive, the exchange hears from it. When it is not, for whatever reason, the exchange cancels its
// orders.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { exhaustMap, firstValueFrom, Subject, throttleTime } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';

const alive$ = new Subject<void>(); // the strategy says so after each of its rounds
alive$
  .pipe(
    throttleTime(1000),
    exhaustMap(() => exchange.spot.setKillSwitch({ market, timeout: 5 })),
  )
  .subscribe({ error: (error: unknown) => console.error('the switch is not set: stop quoting', error) });

const openOrders = () => firstValueFrom(exchange.spot.openOrders({ market }));

await firstValueFrom(exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '50000' }));
for (let round = 0; round < 10; round += 1) {
  alive$.next();
  await sleep(100);
}
console.log('alive, open orders:', (await openOrders()).length);
await sleep(5500); // it hangs
console.log('silent, open orders:', (await openOrders()).length);
