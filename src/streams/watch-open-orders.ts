// watchOpenOrders(): polls the open orders of the account and emits them with their changes.
import type { Observable } from 'rxjs';
import { optionsOf, parse, RequestError, trueOrFalse } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type { Order } from '../model/order.js';
import type { Unreadable } from '../model/unreadable.js';
import { allOpenOrders, aMarket } from '../live/index.js';
import { WatchedList, type ListChange, type ReadList } from './list-changes.js';
import { liveOpenOrders } from './live-account.js';
import { liveIn, type LiveSource, type WatchLiveOptions } from './live-or-polls.js';
import { polledState, type StateUpdate } from './polled-state.js';
import { watchRules, type WatchOptions } from './polls.js';

/** Options of {@link watchOpenOrders}. */
export interface WatchOpenOrdersOptions extends WatchOptions, WatchLiveOptions {
  /**
   * Only orders of this market, `BASE_QUOTE`. `live: true` requires it.
   *
   * @default all markets
   */
  readonly market?: string;
  /**
   * The pause between two polls, milliseconds, above 0.
   *
   * @default 1000
   */
  readonly everyMs?: number;
}

const openOrdersOptions = optionsOf<WatchOpenOrdersOptions>({ ...watchRules, market: aMarket, live: trueOrFalse });

/** What {@link watchOpenOrders} emits. */
export interface OpenOrdersUpdate extends StateUpdate {
  /** The open orders by `order_id`; empty before the first successful poll. */
  readonly orders: ReadonlyMap<number, Order>;
  /**
   * The orders that were added, changed or have gone since the previous update; empty in the first update of a
   * subscriber. An order that opened and ended between two polls appears in no update.
   */
  readonly changes: readonly ListChange<Order>[];
  /**
   * What the last successful poll contained but could not be read; usually `undefined`. An order that is missing from
   * such a list stays in `orders` as it was: place no order because of it. When more orders are missing than records are
   * unreadable, each of them is `gone` after it was missing from more than 3 such lists in a row.
   */
  readonly unreadable: Unreadable | undefined;
}

/**
 * Polls the open orders, spot and collateral, and emits them after every poll, with their changes. The list is whole: a
 * poll reads all of its pages, and reads them again when orders moved between two pages. A failed poll does not end the
 * stream: it marks the orders as stale, and the pauses grow until a poll succeeds.
 *
 * A `gone` order was filled or canceled: `orders.find` or `orders.history` has its end. Some conditional orders are in
 * `orders.conditional` only.
 *
 * Subscribers of the same observable share its polls, a late subscriber gets the last update at once, and the last one
 * to unsubscribe stops the polls. At most one poll is in flight.
 *
 * ```text
 * polls:               1---2---#------3---    #: failure
 * watchOpenOrders():   1---2---s------3---    s: the orders of poll 2, stale, with the error
 * ```
 *
 * Sends `POST /api/v4/orders`, once for 100 orders, with priority `background`; and once more for the first page of more
 * orders than that.
 *
 * With `live: true`, the exchange pushes the orders of the market. Lost pushes are read, see `exchange.live.my.openOrders`.
 * A pushed order has no `feeAsset`.
 *
 * The observable fails with {@link RequestError} when the client has no credentials, and with the error of
 * `pauseWhile`.
 *
 * @example
 * ```ts
 * import { watchOpenOrders, type Exchange } from 'exchange-rx';
 *
 * const logEnds = (exchange: Exchange) =>
 *   watchOpenOrders(exchange, { market: 'BTC_USDT' }).subscribe(({ changes }) => {
 *     for (const change of changes) if (change.kind === 'gone') console.log('not open any more:', change.before.order_id);
 *   });
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function watchOpenOrders(
  exchange: Pick<Exchange, 'orders' | 'live'>,
  options?: WatchOpenOrdersOptions,
): Observable<OpenOrdersUpdate>;
/**
 * Polls the open orders, with a client that has no live connection.
 *
 * @throws {@link RequestError} for invalid options.
 */
export function watchOpenOrders(
  exchange: Pick<Exchange, 'orders'>,
  options?: WatchOpenOrdersOptions & { readonly live?: false },
): Observable<OpenOrdersUpdate>;
export function watchOpenOrders(
  exchange: Pick<Exchange, 'orders'> & LiveSource,
  options: WatchOpenOrdersOptions = {},
): Observable<OpenOrdersUpdate> {
  const { market, everyMs = 1000, ...others } = parse('watchOpenOrders', openOrdersOptions, options);
  // The exchange documents no subscription to the orders of all markets.
  if (market === undefined && options.live === true)
    throw new RequestError('watchOpenOrders', [{ field: 'market', message: 'is required with live: true' }]);
  const live = liveIn('watchOpenOrders', exchange, options);
  const params = market === undefined ? {} : { market };
  const list = new WatchedList<Order>(({ order_id }) => order_id);
  return polledState<ReadList<Order>, Omit<OpenOrdersUpdate, keyof StateUpdate>>(
    {
      read: (call) => allOpenOrders((page) => exchange.orders.open({ ...params, ...page }, call)),
      nothing: { orders: new Map(), changes: [], unreadable: undefined },
      next: (read, last) => {
        const { items, ...rest } = list.next(read, last?.orders);
        return { orders: items, ...rest };
      },
      withoutChanges: (state) => ({ ...state, changes: [] }),
      live$: live !== undefined && market !== undefined ? liveOpenOrders(live, market, everyMs) : undefined,
    },
    { ...others, everyMs },
  );
}
