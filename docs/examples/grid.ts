// A grid: an order at every step around the price, buys below and sells above. One that is filled turns around once the price has moved on.
import { createExchange, isExchangeError } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, concatMap, defer, EMPTY, exhaustMap, from, map, takeUntil, timer } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';
const own = 'grid-';
const step = 100;
const levels = [-3, -2, -1, 0, 1, 2, 3].map((offset) => 60_000 + offset * step);
let placed = 0;

// The level nearest to the price stays empty: an order there would turn around with every tick.
function missing(price: number, taken: ReadonlySet<number>): { side: 'buy' | 'sell'; price: string }[] {
  return levels
    .filter((level) => !taken.has(level) && Math.abs(level - price) > step / 2)
    .map((level) => ({ side: level < price ? ('buy' as const) : ('sell' as const), price: String(level) }));
}

function place(order: { side: 'buy' | 'sell'; price: string }) {
  placed += 1;
  return exchange.collateral.placeLimitOrder({ market, amount: '0.01', postOnly: true, client_order_id: `${own}${Date.now()}-${placed}`, ...order });
}

const round$ = defer(() => exchange.spot.openOrders({ market, limit: 100 })).pipe(
  map((orders) => new Set(orders.filter(({ client_order_id }) => client_order_id.startsWith(own)).map(({ price }) => Number(price)))),
  concatMap((taken) => from(missing(Number(sandbox.market(market).price()), taken))), // your feed
  concatMap(place),
  catchError((error: unknown) => {
    // An order of unknown outcome may be in the book, and not be seen by the next round: stop, and look.
    if (!isExchangeError(error) || (error.outcome === 'unknown' && error.client_order_id !== undefined)) throw error;
    console.warn(error.message); // the next round sees what is open, and places what is not
    return EMPTY;
  }),
);

timer(0, 100)
  .pipe(
    takeUntil(timer(2000)),
    exhaustMap(() => round$),
  )
  .subscribe({
    next: ({ side, price }) => console.log(side, 'at', price),
    complete: () => console.log('filled:', sandbox.ledger.orders.filter(({ status }) => status === 'FILLED').length),
  });
setTimeout(() => {
  sandbox.market(market).setPrice('59790'); // through two levels
}, 800);
