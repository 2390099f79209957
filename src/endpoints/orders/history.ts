import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { historicalOrderSchema, type HistoricalOrder } from '../../model/order.js';
import { isNamedBy } from '../../model/placed-as.js';
import { byMarket } from './lists-by-market.js';
import { ordersRateLimit } from './rate-limit.js';
import { clientOrderId, marketName, orderId, text, unixSeconds, type ParamsOf, boundedInteger } from '../fields.js';
import { offsetParam, type OffsetParam, withinOneMonth } from '../list-params.js';

const params = {
  /** Only orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
  /** Only the order with this identifier of the exchange. */
  order_id: v.exactOptional(orderId),
  /** Only the order with this identifier of yours. */
  client_order_id: v.exactOptional(clientOrderId),
  /**
   * Maximum number of orders, 1 to 500.
   *
   * @default 50
   */
  limit: v.exactOptional(boundedInteger(1, 500)),
  /** Only orders from this time on, Unix seconds. At most 6 months ago. */
  startDate: v.exactOptional(unixSeconds),
  /** Only orders up to this time, Unix seconds. At most 31 days after `startDate`. */
  endDate: v.exactOptional(unixSeconds),
  /** Only orders of this status, in the exchange's spelling: see {@link OrderStatus}. */
  status: v.exactOptional(text),
};

const request = v.pipe(v.strictObject({ ...params, ...offsetParam }), withinOneMonth());

/** Orders that have ended, by market. */
export interface OrderHistory extends Record<string, HistoricalOrder[]> {}

/** Parameters of {@link history}. */
export interface HistoryParams extends OffsetParam, ParamsOf<typeof params> {}

/**
 * Lists a page of the orders that have ended, by market: `{ BTC_USDT: [order, …] }`. {@link listAllHistory} reads every
 * page. The orders have `ftime`, the time at which they ended,
 * and no `left`.
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
  if (typeof order !== 'object' || order === null || Array.isArray(order)) return order;
  return 'market' in order && order.market !== null ? order : { ...order, market };
}
