// Quotes both sides of the book, and moves its quotes with the market: `modify` gives an order a new order_id.
import { ApiError, createExchange, isOpen, poll, roundPrice, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, concatMap, EMPTY, expand, filter, finalize, forkJoin, map, of, take, throwError } from 'rxjs';

const exchange = createExchange(createSandbox().clientOptions());
const { orders, public: publicData, spot } = exchange;
const market = 'BTC_USDT';
type Quotes = Partial<Record<'buy' | 'sell', Order>>;

// The mid price now. Each round reads a new book: a price that was read before the last round is old.
const mid$ = publicData.orderBook({ market, limit: 1 }).pipe(
  poll({ everyMs: 100 }),
  map(({ bids: [bid], asks: [ask] }) => (Number(bid?.[0]) + Number(ask?.[0])) / 2),
  filter((mid) => mid > 0), // not while a side is empty
  take(1),
);

// A quote that was filled is not there to be moved: the next one is placed.
const quote = (side: 'buy' | 'sell', price: string, last?: Order) =>
  (last === undefined || !isOpen(last)
    ? spot.placeLimitOrder({ market, side, amount: '0.01', price, postOnly: true })
    : orders.modify({ market, order_id: last.order_id, client_order_id: last.client_order_id, price })
  ).pipe(
    catchError((error: unknown) =>
      error instanceof ApiError && error.outcome === 'rejected' ? of(undefined) : throwError(() => error),
    ),
  );

publicData
  .markets()
  .pipe(
    map((markets) => markets.find(({ name }) => name === market)),
    concatMap((rules) => {
      if (rules === undefined) return EMPTY;
      const round = (quotes: Quotes) =>
        mid$.pipe(
          concatMap((mid) =>
            forkJoin({
              buy: quote('buy', roundPrice(rules, mid * 0.999), quotes.buy),
              sell: quote('sell', roundPrice(rules, mid * 1.001), quotes.sell),
            }),
          ),
          map(({ buy, sell }): Quotes => ({ ...(buy && { buy }), ...(sell && { sell }) })),
        );
      return round({}).pipe(expand(round), take(5));
    }),
    finalize(() => orders.cancelAll({ market, type: ['spot'] }).subscribe()), // whatever ends it
  )
  .subscribe({
    next: ({ buy, sell }) => console.log('bid', buy?.price ?? '—', 'ask', sell?.price ?? '—'),
    error: (error: unknown) => console.error('stopped quoting', error),
  });
