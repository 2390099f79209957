// Quotes both sides of the live book, and hedges each fill on the perpetual. Quotes rest only while the book and the own
// orders are live: otherwise they are canceled, by a kill switch where the program cannot. An order in doubt stops the
// program: it cancels its quotes, and hedges until no quote can be filled any more.
import {
  ApiError, createExchange, followOrder, isExchangeError, isFilled, isOpen, isUndecided, roundPrice,
  type Execution,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import {
  catchError, combineLatest, concat, delay, distinctUntilChanged, EMPTY, exhaustMap, filter, interval, map,
  merge, mergeMap, of, ReplaySubject, retry, shareReplay, Subject, switchMap, take, takeUntil, tap, timer,
} from 'rxjs';

const sandbox = createSandbox({ markets: ['BTC_USDT', 'BTC_PERP'].map((name) => ({ name, price: '60000' })) });
const exchange = createExchange(sandbox.clientOptions());
const { collateral, live, orders, public: publicData, spot } = exchange;
const market = 'BTC_USDT';
const own = `quote-${Date.now()}-`;
let placed = 0;
let unhedged = 0; // fills of quotes that have ended, less their executions
const stop$ = new ReplaySubject<void>(1);
const done$ = new Subject<void>();

function stop(error: unknown) {
  console.error('stopping:', error);
  process.exitCode = 1;
  stop$.next();
  return EMPTY;
}

// The mid price while the book and the own orders are known, else undefined.
const mid$ = combineLatest({
  book: live.orderBook({ market, limit: 1, everyMs: 100 }),
  open: live.my.openOrders({ markets: [market] }),
}).pipe(
  map(({ book, open }) => {
    const isKnown = book.status === 'live' && open.status === 'live' && open.unknown.length === 0;
    const mid = (Number(book.bids[0]?.[0]) + Number(book.asks[0]?.[0])) / 2;
    return isKnown && mid > 0 ? mid : undefined; // NaN while a side is empty
  }),
  shareReplay({ bufferSize: 1, refCount: true }),
);

// Whether the kill switch is set. It is renewed only while the mid price is known.
const setSwitch$ = orders.setKillSwitch({ market, timeout: 5, types: ['spot'] }, { callTimeoutMs: 1500 }).pipe(
  map(() => true),
  catchError(() => of(false)), // no quotes until a renewal succeeds
);
const isArmed$ = mid$.pipe(
  map((mid) => mid !== undefined),
  distinctUntilChanged(),
  switchMap((isKnown) => (isKnown ? timer(0, 1000).pipe(exhaustMap(() => setSwitch$)) : of(false))),
);

// The prices to quote, or undefined while no quote may rest: so at the end.
const prices$ = concat(
  combineLatest([mid$, isArmed$, publicData.markets()]).pipe(
    map(([mid, isArmed, markets]) => {
      const rules = markets.find(({ name }) => name === market);
      if (!isArmed || mid === undefined || rules === undefined) return undefined;
      return { buy: roundPrice(rules, mid * 0.999), sell: roundPrice(rules, mid * 1.001) };
    }),
    takeUntil(stop$),
    catchError(stop),
  ),
  of(undefined),
).pipe(shareReplay({ bufferSize: 1, refCount: true }));

const place = (side: 'buy' | 'sell', price: string) => {
  const order = { market, side, amount: '0.01', price, postOnly: true, client_order_id: `${own}${side}-${++placed}` };
  return spot.placeLimitOrder(order, { validForMs: 500 }).pipe(
    catchError((error: unknown) => {
      if (!isExchangeError(error) || isUndecided(error)) throw error;
      return EMPTY; // the order does not exist: the next prices have an order of their own
    }),
  );
};

const cancel = (order_id: number) =>
  orders.cancel({ market, order_id }).pipe(
    catchError((error: unknown) => {
      if (error instanceof ApiError && error.reason === 'order-not-found') return EMPTY; // it has ended
      throw error;
    }),
    retry({ count: 10, delay: 1000 }), // the kill switch has fired by then
  );

// One order at a time, from its request to its end. No order in flight is unsubscribed: `takeUntil` is before it.
const quote = (side: 'buy' | 'sell') =>
  prices$.pipe(
    exhaustMap((prices) => {
      if (prices === undefined) return EMPTY;
      const price = prices[side];
      const outdated$ = prices$.pipe(
        filter((now) => now === undefined || Math.abs(Number(now[side]) / Number(price) - 1) > 0.0002),
        take(1),
      );
      return place(side, price).pipe(
        followOrder(exchange),
        switchMap((order) => {
          if (isOpen(order)) return outdated$.pipe(mergeMap(() => cancel(order.order_id)));
          unhedged += Number(order.deal_stock);
          return EMPTY;
        }),
      );
    }),
    catchError(stop),
  );

// One order for each execution, however often it is retried. Its identifier finds it after a restart.
const hedge = ({ id, order_id, client_order_id, amount, price }: Execution) => {
  unhedged -= Number(amount);
  const side = client_order_id.startsWith(`${own}buy`) ? 'sell' : 'buy';
  const order = { market: 'BTC_PERP', side, amount, client_order_id: `hedge-${id}-${order_id}` } as const;
  return collateral.placeMarketOrder(order).pipe(
    retry({ count: 5, delay: 1000 }),
    mergeMap((hedged) => (isFilled(hedged) ? of(`${amount} filled at ${price}, hedged by a ${side}`) : stop(hedged))),
    catchError(stop),
  );
};

live.my
  .executions({ since: Date.now() / 1000 - 3600 }) // before the first quote by any clock
  .pipe(
    takeUntil(done$),
    filter((item) => item.kind === 'execution'), // what a gap reports as missing follows it
    map(({ execution }) => execution),
    filter(({ client_order_id }) => client_order_id.startsWith(own)),
    mergeMap(hedge),
    catchError(stop),
  )
  .subscribe((line) => console.log(line));

// Hedges until the kill switch has fired, and every fill of the quotes was seen.
const isHedged$ = interval(1000).pipe(
  filter(() => unhedged < 1e-9),
  take(1),
);
concat(merge(quote('buy'), quote('sell')), timer(9000), isHedged$).subscribe({ complete: () => done$.next() });

// For the demonstration: the market falls through the first bid, and the program stops 3 s later.
live.my
  .orders({ markets: [market] })
  .pipe(
    filter((item) => item.kind === 'opened' && item.order.side === 'buy'),
    take(1),
    tap(() => sandbox.market(market).setPrice('59500')),
    delay(3000),
  )
  .subscribe(() => stop$.next());
