// The order book of a market from the live connection, with the fields of a polled one.
import { map, type Observable } from 'rxjs';
import { depthLimits, type Live } from '../live/index.js';
import type { OrderBook } from '../model/order-book.js';
import { unlessRefused, type Interruption } from './live-or-polls.js';
import type { PolledValue } from './polls.js';

interface BookParams {
  readonly market: string;
  /** Maximum number of price levels of each side. */
  readonly limit: number;
  readonly everyMs: number;
}

export function liveBooks(
  live: Live,
  { market, limit, everyMs }: BookParams,
): Observable<PolledValue<OrderBook> | Interruption> {
  const covering = depthLimits.find((possible) => possible >= limit);
  return live.orderBook({ market, everyMs, ...(covering === undefined ? {} : { limit: covering }) }).pipe(
    map((book): PolledValue<OrderBook> | Interruption => {
      const [asks, bids] = [book.asks.slice(0, limit), book.bids.slice(0, limit)];
      // An empty book is what an exchange sends that is not ready: the polls judge it.
      if (book.status === 'stale' || asks.length + bids.length === 0) return 'interrupted';
      const time = book.eventTime ?? book.engineTime;
      return {
        // A polled book has whole seconds.
        value: { ticker_id: market, ...(time === undefined ? {} : { timestamp: Math.floor(time) }), asks, bids },
        ...{ readAt: book.receivedAt, monotonicReadAt: performance.now() },
      };
    }),
    unlessRefused,
  );
}
