// A kill switch (dead man's switch): the exchange cancels the open orders unless the strategy renews it in time. The
// switch is set before the first order, and a strategy that cannot renew it stops.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { concat, exhaustMap, takeUntil, throttleTime, timer } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';

// The call gives up long before the switch fires, so that the next round can renew it.
const setSwitch = () => exchange.orders.setKillSwitch({ market, timeout: 5 }, { callTimeoutMs: 1500 });

// Emits after each round. For the demonstration, the strategy ends after one second and leaves its order open.
const strategy$ = concat(
  exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '50000' }),
  timer(0, 100).pipe(takeUntil(timer(1000))),
);

concat(setSwitch(), strategy$.pipe(throttleTime(1000), exhaustMap(setSwitch))).subscribe({
  error: (error: unknown) => console.error('stopped: the kill switch cannot be renewed:', error),
});

const logOpenOrders = () =>
  exchange.orders.open({ market }).subscribe((orders) => console.log('open orders:', orders.length));
setTimeout(logOpenOrders, 900); // 1
setTimeout(logOpenOrders, 6500); // 0: the switch was not renewed for 5 s
