import * as v from 'valibot';
import { bulkParams, bulkResponse, isBulkOf, type BulkParams } from '../bulk-orders.js';
import { defineEndpoint, type BulkOrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { spotLimitErrorCodes } from '../order-error-codes.js';
import { placeLimitOrder, type PlaceLimitOrderParams } from './place-limit-order.js';

/** Parameters of {@link placeLimitOrders}. */
export interface PlaceLimitOrdersParams extends BulkParams<PlaceLimitOrderParams> {}

/**
 * Places 1 to 20 spot limit orders by one request. Emits one list with the result of each order, in their order:
 * `placed` with the order, or an error with its `outcome`. The observable itself fails for invalid parameters only.
 *
 * Each order is one order: after a lost response each is looked up by its `client_order_id`, and only an order that is
 * proven absent is sent again. The exchange may accept one market in a request only.
 *
 * `POST /api/v4/order/bulk` · signed · 10000 requests / 10 s · orders, each retried only when it is known or proven
 * that it does not exist
 *
 * The error of a result: {@link ApiError} with `reason` `step` (1, `amount` or `price`), `insufficient-balance` (10),
 * `would-take` (13), `would-take` (14), `validation` (30), `market` (31), `amount` (32), `price` (33, `price`),
 * `client-order-id` (36), `conflicting-flags` (37), `conflicting-flags` (40), `conflicting-flags` (41); or any other
 * of every call.
 *
 * @throws {@link RequestError} for invalid parameters
 * @see docs/reference/spot.md#spotplacelimitorders
 * @example
 * ```ts
 * exchange.spot
 *   .placeLimitOrders({
 *     orders: [
 *       { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000' },
 *       { market: 'BTC_USDT', side: 'sell', amount: '0.01', price: '90000' },
 *     ],
 *   })
 *   .subscribe((results) => {
 *     for (const result of results)
 *       console.log(result.client_order_id, result.outcome === 'placed' ? result.order.status : result.error.message);
 *   });
 * ```
 */
export const placeLimitOrders: BulkOrderEndpoint<PlaceLimitOrdersParams, Order> = defineEndpoint({
  name: 'spot.placeLimitOrders',
  path: '/api/v4/order/bulk',
  safety: 'orders',
  request: v.strictObject(bulkParams(placeLimitOrder.request)),
  response: bulkResponse(orderSchema),
  matchesRequest: isBulkOf(isPlacedAs('limit')),
  errorCodes: spotLimitErrorCodes,
  item: placeLimitOrder,
});
