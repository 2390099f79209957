import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isNamedBy } from '../../model/placed-as.js';
import { listOf } from '../../model/tolerant.js';
import { clientOrderId, marketName, orderId, type ParamsOf, rule } from '../fields.js';
import { ordersRateLimit } from './rate-limit.js';
import { pageLimit, offsetParam, type OffsetParam } from '../list-params.js';

const params = {
  /** Only orders of this market, `BASE_QUOTE`. Required together with an identifier. */
  market: v.exactOptional(marketName),
  /** Only the order with this identifier of the exchange. */
  order_id: v.exactOptional(orderId),
  /** Only the order with this identifier of yours. */
  client_order_id: v.exactOptional(clientOrderId),
  /**
   * Maximum number of orders, 1 to 100.
   *
   * @default 50
   */
  limit: pageLimit,
};

const request = v.pipe(
  v.strictObject({ ...params, ...offsetParam }),
  rule(
    'market',
    ({ market, order_id, client_order_id }) =>
      market !== undefined || (order_id === undefined && client_order_id === undefined),
    'is required together with order_id or client_order_id',
  ),
);

/** Parameters of {@link open}. */
export interface OpenParams extends OffsetParam, ParamsOf<typeof params> {}

/**
 * Lists a page of the open orders of the account, spot and collateral: 50 without a `limit`. Emits an empty list when no
 * order is open. {@link listAllOpen} reads every page.
 *
 * @example
 * ```ts
 * exchange.orders.open({ market: 'BTC_USDT' }).subscribe((orders) => console.log(orders.length));
 * ```
 */
export const open: Endpoint<OpenParams, Order[]> = defineEndpoint({
  name: 'orders.open',
  path: '/api/v4/orders',
  rateLimit: ordersRateLimit,
  safety: 'read',
  page: { defaultLimit: 50, listAll: 'orders.listAllOpen' },
  request,
  response: listOf(orderSchema),
  matchesRequest: (fields, orders) => orders.every((order) => isNamedBy(fields, order)),
});
