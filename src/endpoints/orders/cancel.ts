import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../define-endpoint.js';
import { isNamedBy, orderSchema, type Order } from '../../model/order.js';
import { clientOrderId, marketName, orderId } from '../fields.js';

const request = v.pipe(
  v.strictObject({
    /** The pair, `BASE_QUOTE`. */
    market: marketName,
    /** The exchange's number of the order. Exactly one of this and `client_order_id`. */
    order_id: v.exactOptional(orderId),
    /** Your identifier of the order. Exactly one of this and `order_id`. */
    client_order_id: v.exactOptional(clientOrderId),
  }),
  v.forward(
    v.partialCheck(
      [['order_id'], ['client_order_id']],
      ({ order_id, client_order_id }) => (order_id === undefined) !== (client_order_id === undefined),
      'is needed, or client_order_id, and not both',
    ),
    ['order_id'],
  ),
);

/** Parameters of {@link cancel}. */
export interface CancelParams extends v.InferInput<typeof request> {}

/**
 * Cancels an open order, by the exchange's number or by yours. Answers the order as it was when it was canceled.
 *
 * Errors: {@link ApiError} with `reason: 'order-not-found'` when no such order is open (it may have been filled
 * meanwhile), and those of every call, see {@link AnyExchangeError}.
 *
 * `POST /api/v4/order/cancel` · private · limit group `cancelOrder`, 10000 requests / 10 s · priority `urgent`
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import { concatMap } from 'rxjs';
 *
 * const { collateral, spot } = createExchange(createSandbox().clientOptions());
 * collateral
 *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000' })
 *   .pipe(concatMap(({ market, order_id }) => orders.cancel({ market, order_id })))
 *   .subscribe((order) => console.log(order.status));
 * ```
 */
export const cancel: Endpoint<CancelParams, Order> = defineEndpoint({
  name: 'orders.cancel',
  method: 'POST',
  path: '/api/v4/order/cancel',
  rateLimit: { limit: 10_000, windowMs: 10_000 },
  authentication: 'signed',
  safety: 'idempotent',
  priority: 'urgent',
  key: ({ market, order_id, client_order_id }) => JSON.stringify([market, order_id, client_order_id]),
  request,
  response: orderSchema,
  matchesRequest: isNamedBy,
  errorCodes: [
    { code: 2, field: 'orderId', reason: 'order-not-found' },
    { code: 2, field: 'order_id', reason: 'order-not-found' },
  ],
});
