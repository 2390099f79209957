import * as v from 'valibot';
import type { PagedList } from '../../endpoint/index.js';
import type { HistoricalOrder } from '../../model/order.js';
import { marketName, text, unixSeconds, type ParamsOf } from '../fields.js';
import { listAllParams, periodsSince, type AllItemsParams } from '../list-params.js';
import { history, type OrderHistory } from './history.js';

const params = {
  /** Only orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
  /**
   * Only orders from this time on, Unix seconds. At most 6 months ago. Default: those of the last month, as the exchange
   * lists them.
   */
  since: v.exactOptional(unixSeconds),
  /** Only orders of this status, in the exchange's spelling: see {@link OrderStatus}. */
  status: v.exactOptional(text),
};

/** Parameters of {@link listAllHistory}. */
export interface ListAllHistoryParams extends AllItemsParams, ParamsOf<typeof params> {}

/**
 * Emits the orders that have ended one by one, and completes. More than 30 days are read in periods of 30 days, the
 * latest first, each a list of its own. An order may be missing for a moment after it ended.
 *
 * @example
 * ```ts
 * const since = Math.floor(Date.now() / 1000) - 90 * 24 * 60 * 60;
 * exchange.orders
 *   .listAllHistory({ market: 'BTC_USDT', since, maxItems: 1000 })
 *   .subscribe(({ order_id, status, deal_money }) => console.log(order_id, status, deal_money));
 * ```
 */
export const listAllHistory: PagedList<ListAllHistoryParams, HistoricalOrder, OrderHistory> = {
  name: 'orders.listAllHistory',
  pagesOf: history,
  request: v.strictObject({ ...params, ...listAllParams }),
  itemsOf: (byMarket) => Object.values(byMarket).flat(),
  keyOf: ({ order_id }) => order_id,
  listsOf: periodsSince,
};
