// A grid: an order at every step around the price, buys below and sells above. One that is filled turns around once the price has moved on.
import { createExchange, isExchangeError, poll } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, concatMap, defer, EMPTY, from, takeUntil, timer, type Observable } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';
const step = 100;
const levels = [-3, -2, -1, 0, 1, 2, 3].map((offset) => 60_000 + offset * step);

// The level nearest to the price stays empty: an order there would turn around with every tick.
function missing(price: number, taken: ReadonlySet<number>): { side: 'buy' | 'sell'; price: string }[] {
  return levels
    .filter((level) => !taken.has(level) && Math.abs(level - price) > step / 2)
    .map((level) => ({ side: level < price ? ('buy' as const) : ('sell' as const), price: String(level) }));
}

function skipFailed<T>(order$: Observable<T>): Observable<T> {
  return order$.pipe(
    catchError((error: unknown) => {
      if (!isExchangeError(error)) throw error;
      console.warn(error.message); // the next round sees what is open, and places what is not
      return EMPTY;
    }),
  );
}

const round$ = defer(() => exchange.spot.openOrders({ market, limit: 100 })).pipe(
  concatMap((open) => from(missing(Number(sandbox.market(market).price()), new Set(open.map((order) => Number(order.price)))))),
  concatMap((order) => skipFailed(exchange.collateral.placeLimitOrder({ market, amount: '0.01', postOnly: true, ...order }))),
);

round$.pipe(skipFailed, poll({ everyMs: 100 }), takeUntil(timer(2000))).subscribe({
  next: ({ side, price }) => console.log(side, 'at', price),
  complete: () => console.log('filled:', sandbox.ledger.orders.filter(({ status }) => status === 'FILLED').length),
});
setTimeout(() => {
  sandbox.market(market).setPrice('59790'); // through two levels
}, 800);
