import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../define-endpoint.js';
import { isNamedBy, orderSchema, type Order } from '../../model/order.js';
import { pageFields } from '../../model/paging.js';
import { listOf } from '../../model/tolerant.js';
import { ordersRateLimit } from './rate-limit.js';
import { clientOrderId, marketName, orderId } from '../fields.js';

const request = v.pipe(
  v.strictObject({
    /** The pair, `BASE_QUOTE`. Required together with an identifier. */
    market: v.exactOptional(marketName),
    /** Only the order with this number of the exchange's. */
    order_id: v.exactOptional(orderId),
    /** Only the order with this identifier of yours. */
    client_order_id: v.exactOptional(clientOrderId),
    ...pageFields,
  }),
  v.forward(
    v.partialCheck(
      [['market'], ['order_id'], ['client_order_id']],
      ({ market, order_id, client_order_id }) =>
        market !== undefined || (order_id === undefined && client_order_id === undefined),
      'is required together with an identifier',
    ),
    ['market'],
  ),
);

/** Parameters of {@link open}. */
export interface OpenParams extends v.InferInput<typeof request> {}

/**
 * Lists the account's open orders; empty when there is none. `limit` is 50 by default.
 *
 * Errors: those of every call, see {@link AnyExchangeError}.
 *
 * `POST /api/v4/orders` · private · limit group `orders`, 12000 requests / 10 s (with the order history) · repeated
 * after 503
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.orders.open({ market: 'BTC_USDT' }).subscribe((orders) => console.log(orders.length));
 * ```
 */
export const open: Endpoint<OpenParams, Order[]> = defineEndpoint({
  name: 'orders.open',
  method: 'POST',
  path: '/api/v4/orders',
  rateLimit: ordersRateLimit,
  authentication: 'signed',
  safety: 'read',
  request,
  response: listOf(orderSchema),
  matchesRequest: (fields, orders) => orders.every((order) => isNamedBy(fields, order)),
});
