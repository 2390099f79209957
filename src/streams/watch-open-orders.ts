// watchOpenOrders(): polls the open orders of the account and emits them with their changes.
import type { Observable } from 'rxjs';
import { anything, checkByRules, type OptionRules } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type { Order } from '../model/order.js';
import type { Unreadable } from '../model/unreadable.js';
import { allOpenOrders } from '../live/index.js';
import { WatchedList, type ListChange, type ReadList } from './list-changes.js';
import { polledState, type StateUpdate } from './polled-state.js';
import { checkMarket, watchRules, type WatchOptions } from './polls.js';

/** Options of {@link watchOpenOrders}. */
export interface WatchOpenOrdersOptions extends WatchOptions {
  /**
   * Only orders of this market, `BASE_QUOTE`.
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

const rules: OptionRules<WatchOpenOrdersOptions> = { ...watchRules, market: anything };

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
  exchange: Pick<Exchange, 'orders'>,
  options: WatchOpenOrdersOptions = {},
): Observable<OpenOrdersUpdate> {
  checkByRules('watchOpenOrders', options, rules);
  const { market, everyMs = 1000, ...others } = options;
  if (market !== undefined) checkMarket('watchOpenOrders', market);
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
    },
    { ...others, everyMs },
  );
}
