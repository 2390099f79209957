// A grid: one order at each level around the price, buys below and sells above. A filled level turns to the other side
// once the price has passed it. Each level places its order independently: after a lost response the order is looked up
// for up to 30 s, and only its level waits.
import { createExchange, isExchangeError, placeEach, unreadableIn } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, defer, EMPTY, exhaustMap, mergeMap, takeUntil, timer } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';
const own = 'grid-';
const step = 100;
const levels = [-3, -2, -1, 0, 1, 2, 3].map((offset) => 60_000 + offset * step);
const busy = new Set<number>(); // levels with an order in flight, or of unknown outcome
let placed = 0;

interface Intent {
  readonly side: 'buy' | 'sell';
  readonly level: number;
}

// The level nearest to the price stays empty: an order there would change sides with every tick.
function missing(price: number, occupied: ReadonlySet<number>): Intent[] {
  return levels
    .filter((level) => !occupied.has(level) && Math.abs(level - price) > step / 2)
    .map((level) => ({ side: level < price ? 'buy' : 'sell', level }));
}

function place({ side, level }: Intent) {
  placed += 1;
  busy.add(level);
  const client_order_id = `${own}${Date.now()}-${placed}`;
  const price = String(level);
  return exchange.collateral.placeLimitOrder({ market, side, amount: '0.01', price, postOnly: true, client_order_id });
}

const missing$ = defer(() => {
  const occupied = new Set(busy); // copied before the read: an order that ends meanwhile may be missing from the list
  return exchange.orders.open({ market, limit: 100 }).pipe(
    mergeMap((orders) => {
      if (unreadableIn(orders) !== undefined) return []; // the unreadable order may be at a level that looks free
      for (const { client_order_id, price } of orders) {
        if (client_order_id.startsWith(own)) occupied.add(Number(price));
      }
      return missing(Number(sandbox.market(market).price()), occupied); // your feed
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
    takeUntil(timer(4000)),
    exhaustMap(() => missing$),
    placeEach(place),
  )
  .subscribe({
    next: (result) => {
      const { side, level } = result.intent;
      // An order of unknown outcome may be open: its level stays busy until orders.find reports the outcome.
      if (result.outcome !== 'unknown') busy.delete(level);
      if (result.outcome === 'placed') console.log(side, 'at', level);
      else console.warn(side, 'at', level, result.outcome, result.error.message);
    },
    complete: () => console.log('filled:', sandbox.ledger.orders.filter(({ status }) => status === 'FILLED').length),
  });
setTimeout(() => sandbox.market(market).setPrice('59790'), 800); // through two levels
