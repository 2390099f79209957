import * as v from 'valibot';
import { bulkParams, bulkResponse, isBulkOf, type BulkParams } from '../bulk-orders.js';
import { defineEndpoint, type BulkOrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { collateralLimitErrorCodes } from '../order-error-codes.js';
import { placeLimitOrder, type PlaceLimitOrderParams } from './place-limit-order.js';

/** One order of {@link placeLimitOrders}: as for {@link placeLimitOrder}, without `stp`. */
export interface LimitOrderInBulk extends Omit<PlaceLimitOrderParams, 'stp'> {}

/** Parameters of {@link placeLimitOrders}. */
export interface PlaceLimitOrdersParams extends BulkParams<LimitOrderInBulk> {}

const order = v.pipe(
  placeLimitOrder.request,
  v.check(({ stp }) => stp === undefined, 'stp is not available for several orders in one request'),
);

/**
 * Places 1 to 20 collateral limit orders by one request. Emits one list with the result of each order, in their order:
 * `placed` with the order, or an error with its `outcome`. The observable itself fails for invalid parameters only.
 *
 * The exchange may accept one market in a request only.
 *
 * @example
 * ```ts
 * exchange.collateral
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
  name: 'collateral.placeLimitOrders',
  path: '/api/v4/order/collateral/bulk',
  safety: 'orders',
  request: v.strictObject(bulkParams(order)),
  response: bulkResponse(orderSchema),
  matchesRequest: isBulkOf(isPlacedAs('limit')),
  errorCodes: collateralLimitErrorCodes,
  item: placeLimitOrder,
});
