// A grid: an order at every step around the price, buys below and sells above. One that is filled turns around once the price has moved on.
// Orders are placed beside the rounds, each level by itself: when a response is lost, looking the order up takes up to 30 s and costs that level only.
import { createExchange, isExchangeError, placeEach, unreadableIn } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, defer, EMPTY, exhaustMap, mergeMap, takeUntil, timer } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';
const own = 'grid-';
const step = 100;
const levels = [-3, -2, -1, 0, 1, 2, 3].map((offset) => 60_000 + offset * step);
const busy = new Set<number>(); // levels whose order is under way, or in doubt
let placed = 0;

interface Intent {
  readonly side: 'buy' | 'sell';
  readonly level: number;
}

// The level nearest to the price stays empty: an order there would turn around with every tick.
function missing(price: number, taken: ReadonlySet<number>): Intent[] {
  return levels
    .filter((level) => !taken.has(level) && Math.abs(level - price) > step / 2)
    .map((level) => ({ side: level < price ? ('buy' as const) : ('sell' as const), level }));
}

function place({ side, level }: Intent) {
  placed += 1;
  busy.add(level);
  const client_order_id = `${own}${Date.now()}-${placed}`;
  return exchange.collateral.placeLimitOrder({ market, side, amount: '0.01', price: String(level), postOnly: true, client_order_id });
}

const round$ = defer(() => {
  const taken = new Set(busy); // an order that ends while the round reads may be missing from what it reads
  return exchange.orders.open({ market, limit: 100 }).pipe(
    mergeMap((orders) => {
      if (unreadableIn(orders) !== undefined) return []; // an order that could not be read may hold a level that looks free
      for (const { client_order_id, price } of orders) if (client_order_id.startsWith(own)) taken.add(Number(price));
      return missing(Number(sandbox.market(market).price()), taken); // your feed
    }),
  );
}).pipe(
  catchError((error: unknown) => {
    if (!isExchangeError(error)) throw error;
    console.warn(error.message); // the next round reads again
    return EMPTY;
  }),
);

timer(0, 100)
  .pipe(
    takeUntil(timer(2000)),
    exhaustMap(() => round$),
    placeEach(place),
  )
  .subscribe({
    next: (result) => {
      const { side, level } = result.intent;
      // One of unknown outcome may be in the book: its level stays taken until resumeOrder() has found it out.
      if (result.outcome !== 'unknown') busy.delete(level);
      if (result.outcome === 'placed') console.log(side, 'at', level);
      else console.warn(side, 'at', level, result.outcome, result.error.message);
    },
    complete: () => console.log('filled:', sandbox.ledger.orders.filter(({ status }) => status === 'FILLED').length),
  });
setTimeout(() => {
  sandbox.market(market).setPrice('59790'); // through two levels
}, 800);
