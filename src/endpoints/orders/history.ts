import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { type HistoricalOrder, historicalOrderSchema } from '../../model/order.js';
import { isRecord } from '../../model/map.js';
import { isNamedBy } from '../../model/placed-as.js';
import { clientOrderId, marketName, orderId, type ParamsOf, text, unixSeconds } from '../fields.js';
import {
  type AllItemsParams,
  listAllParams,
  historyParams,
  type HistoryPageParams,
  periodsSince,
  withinOneMonth,
} from '../list-params.js';
import { ordersRateLimit } from '../rate-limits.js';
import { byMarket } from './lists-by-market.js';

const params = {
  /** Only orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
  /** Only the order with this identifier of the exchange. */
  order_id: v.exactOptional(orderId),
  /** Only the order with this identifier of yours. */
  client_order_id: v.exactOptional(clientOrderId),
  /** Only orders of this status, in the exchange's spelling: see {@link OrderStatus}. */
  status: v.exactOptional(text),
};

const request = v.pipe(v.strictObject({ ...params, ...historyParams }), withinOneMonth());

/** Orders that have ended, by market. */
export interface OrderHistory extends Record<string, HistoricalOrder[]> {}

/** Parameters of {@link history}. */
export interface HistoryParams extends HistoryPageParams, ParamsOf<typeof params> {}

/**
 * Lists a page of the orders that have ended, by market: `{ BTC_USDT: [order, …] }`. {@link listAllHistory} reads every
 * page. The orders have `ftime`, the time at which they ended, and no `left`. The exchange keeps them for 6 months; the
 * period is at most 31 days.
 *
 * `order-not-found` means that no order has the given `client_order_id`; any other filter without a match emits `{}`. An
 * order may be missing for a moment after it ended. Some accounts have no canceled orders in their history.
 *
 * @example
 * ```ts
 * exchange.orders.history({ market: 'BTC_USDT', limit: 10 }).subscribe((history) => console.log(history['BTC_USDT']?.length ?? 0));
 * ```
 */
export const history: Endpoint<HistoryParams, OrderHistory> = defineEndpoint({
  name: 'orders.history',
  path: '/api/v4/trade-account/order/history',
  rateLimit: ordersRateLimit,
  safety: 'read',
  page: { defaultLimit: 50, listAll: 'orders.listAllHistory' },
  request,
  response: byMarket(historicalOrderSchema, withMarkets),
  matchesRequest: ({ market: requested, ...names }, history) =>
    Object.entries(history).every(
      ([market, orders]) =>
        (requested === undefined || requested === market) &&
        orders.every((order) => order.market === market && isNamedBy(names, order)),
    ),
  errorCodes: [{ code: 30, field: 'orderHistory', reason: 'order-not-found' }],
});

/** Gives each order its market, which is a key of the response and not a field of the order. */
function withMarkets(history: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(history).map(([market, orders]) => [
      market,
      Array.isArray(orders) ? orders.map((order: unknown) => withMarket(order, market)) : orders,
    ]),
  );
}

function withMarket(order: unknown, market: string): unknown {
  return isRecord(order) ? { ...order, market: order['market'] ?? market } : order;
}

const listAllHistoryParams = {
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
export interface ListAllHistoryParams extends AllItemsParams, ParamsOf<typeof listAllHistoryParams> {}

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
  request: v.strictObject({ ...listAllHistoryParams, ...listAllParams }),
  itemsOf: (byMarket) => Object.values(byMarket).flat(),
  keyOf: ({ order_id }) => order_id,
  listsOf: periodsSince,
};
