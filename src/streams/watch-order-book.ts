// watchOrderBook(): polls the order book of a market.
import { map, tap, type Observable } from 'rxjs';
import { count, optionsOf, parse, rule, ResponseError, trueOrFalse } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type { OrderBook } from '../model/order-book.js';
import { maxDepthLimit } from '../live/index.js';
import { liveBooks } from './live-book.js';
import { liveIn, type Interruption, type WatchLiveOptions, type MarketSource } from './live-or-polls.js';
import { polledState, type StateUpdate } from './polled-state.js';
import { checkMarket, watchRules, type PolledValue, type WatchOptions } from './polls.js';

/** Options of {@link watchOrderBook}. */
export interface WatchOrderBookOptions extends WatchOptions, WatchLiveOptions {
  /**
   * Maximum number of price levels of each side, 1 to 100; with `live: true`, at most the client's
   * {@link LiveOptions.orderBookLimit}.
   *
   * @default 100; with `live: true`, `orderBookLimit`
   */
  readonly limit?: number;
  /**
   * Aggregation of prices, 0 to 5: 0 is none. The live connection rounds prices by other steps: `live: true` requires 0.
   *
   * @default 0
   */
  readonly level?: number;
  /**
   * The pause between two polls, milliseconds, above 0. The exchange refreshes order books every 100 ms.
   *
   * @default 100
   */
  readonly everyMs?: number;
}

const bookOptions = optionsOf<WatchOrderBookOptions>({
  ...watchRules,
  limit: count(1, maxDepthLimit),
  level: count(0, 5),
  live: trueOrFalse,
});

/** What {@link watchOrderBook} emits. */
export interface OrderBookUpdate extends StateUpdate {
  /**
   * The last order book that was read or pushed; `undefined` before the first one. Use it only while it is not `stale`.
   * Each update has a book of its own, which never changes later.
   */
  readonly book: OrderBook | undefined;
}

/**
 * Polls the order book of a market and emits it after every poll. A failed poll does not end the stream: it marks the
 * book as stale, and the pauses grow until a poll succeeds. A response without any level, or with a book that is
 * crossed, unsorted or unreadable, counts as a failed poll and is never emitted as a book. So does a book whose
 * `timestamp` is more than 1 s before that of an earlier one, such as a book from a cache.
 *
 * Subscribers of the same observable share its polls, a late subscriber gets the last update at once, and the last one
 * to unsubscribe stops the polls. At most one poll is in flight.
 *
 * ```text
 * polls:              1---2---x------3---    x: failure, or a crossed book
 * watchOrderBook():   1---2---s------3---    s: the book of poll 2, stale, with the error
 * ```
 *
 * Sends `GET /api/v4/public/orderbook/{market}` with priority `background`.
 *
 * With `live: true`, the exchange pushes the changes of the book. A book with a gap is `stale` at once, and polls start
 * when it stays so. The live connection has 1, 5, 10, 20, 30, 50 or 100 levels: the next greater number is cut to
 * `limit`.
 *
 * The observable fails with the error of `pauseWhile`.
 *
 * @example
 * ```ts
 * import { createExchange, watchOrderBook } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import { take } from 'rxjs';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * watchOrderBook(exchange, 'BTC_USDT', { limit: 5 })
 *   .pipe(take(1))
 *   .subscribe(({ book, stale }) => console.log(stale ? 'outdated' : book?.bids[0]));
 * ```
 *
 * @throws {@link RequestError} for an invalid market or invalid options.
 */
export function watchOrderBook(
  exchange: Pick<Exchange, 'public' | 'live'>,
  market: string,
  options?: WatchOrderBookOptions,
): Observable<OrderBookUpdate>;
/**
 * Polls the order book of a market, with a client that has no live connection.
 *
 * @throws {@link RequestError} for an invalid market or invalid options.
 */
export function watchOrderBook(
  exchange: Pick<Exchange, 'public'>,
  market: string,
  options?: WatchOrderBookOptions & { readonly live?: false },
): Observable<OrderBookUpdate>;
export function watchOrderBook(
  exchange: MarketSource,
  market: string,
  options: WatchOrderBookOptions = {},
): Observable<OrderBookUpdate> {
  checkMarket('watchOrderBook', market);
  const parsed = parse('watchOrderBook', bookOptions, options);
  const live = liveIn('watchOrderBook', exchange, options);
  const maxLimit = live?.orderBookLimit ?? maxDepthLimit;
  const { limit = maxLimit, level = 0, everyMs = 100, ...others } = parsed;
  const isServed = rule(
    () => limit <= maxLimit,
    `must be at most ${maxLimit}, the orderBookLimit of the live connection`,
  );
  parse('watchOrderBook', isServed, limit, 'limit');
  const isUngrouped = rule(() => live === undefined || level === 0, 'must be 0 with live: true');
  parse('watchOrderBook', isUngrouped, level, 'level');
  const times = new BookTimes();
  const noteTime = (push: PolledValue<OrderBook> | Interruption) => {
    if (typeof push !== 'string') times.note(push.value);
  };
  return polledState<OrderBook, Pick<OrderBookUpdate, 'book'>>(
    {
      read: (call) =>
        exchange.public.orderBook({ market, limit, level }, call).pipe(
          map(notEmpty),
          map((book) => times.notOlder(book)),
        ),
      nothing: { book: undefined },
      next: (book) => ({ book }),
      withoutChanges: (state) => state,
      live$: live && liveBooks(live, { market, limit, everyMs }).pipe(tap(noteTime)),
    },
    { ...others, everyMs },
  );
}

/** A book without any level is what an exchange sends that is not ready. */
function notEmpty(book: OrderBook): OrderBook {
  if (book.asks.length + book.bids.length > 0) return book;
  throw failed('the order book is empty');
}

/** How far the time of a response may be behind that of the newest book: servers differ a little. */
const toleranceSeconds = 1;

/** The time of a book may be ahead of the clock of this machine by at most this; otherwise it proves nothing. */
const maxAheadSeconds = 60;

/** Knows the time of the newest book. A book without a time says nothing. */
class BookTimes {
  #newestAt = Number.NEGATIVE_INFINITY;

  note({ timestamp }: OrderBook): void {
    if (timestamp !== undefined) this.#newestAt = Math.max(this.#credible(), timestamp);
  }

  /** Fails a book that is older than one before it, such as one from a cache. */
  notOlder(book: OrderBook): OrderBook {
    const { timestamp } = book;
    const newestAt = this.#credible();
    if (timestamp !== undefined && timestamp < newestAt - toleranceSeconds)
      throw failed(`the order book is from ${timestamp}, before the last one, from ${newestAt}`);
    this.note(book);
    return book;
  }

  /** One book with an absurd time must not reject all later ones. */
  #credible(): number {
    return this.#newestAt > Date.now() / 1000 + maxAheadSeconds ? Number.NEGATIVE_INFINITY : this.#newestAt;
  }
}

function failed(problem: string): ResponseError {
  return new ResponseError(`HTTP 200: ${problem}`, 200, undefined, 'public.orderBook');
}
