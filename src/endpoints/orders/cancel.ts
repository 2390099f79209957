import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isNamedBy } from '../../model/placed-as.js';
import { history } from './history.js';
import { clientOrderId, marketName, orderId, exactlyOne, type ExactlyOne, type ParamsOf } from '../fields.js';
import { orderNotFoundCodes } from '../order-error-codes.js';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** The exchange's identifier of the order. Exactly one of `order_id` and `client_order_id` is required. */
  order_id: v.exactOptional(orderId),
  /** Your identifier of the order. Exactly one of `order_id` and `client_order_id` is required. */
  client_order_id: v.exactOptional(clientOrderId),
};

const request = v.pipe(v.strictObject(params), exactlyOne('order_id', 'client_order_id'));

interface CancelFields extends ParamsOf<typeof params> {}

/** Parameters of {@link cancel}. Exactly one of `order_id` and `client_order_id` is required. */
export type CancelParams = ExactlyOne<CancelFields, 'order_id' | 'client_order_id'>;

/**
 * Cancels an open order, spot or collateral, by one of its identifiers. Emits the order as it was canceled.
 *
 * `order-not-found` means that no such order is open: it may have been filled, or never have been placed. Where an
 * earlier request of the same observable may have canceled it, because its response was lost, the order is looked up in
 * the history and emitted as it ended: see {@link isCanceled} and {@link isFilled}. The outcome is `unknown` when the
 * history does not show it within seconds. By `client_order_id`, a late request can cancel a newer order that has the
 * same identifier: prefer `order_id`.
 *
 * @example
 * ```ts
 * import { concatMap } from 'rxjs';
 *
 * const { collateral, orders } = exchange;
 * collateral
 *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000' })
 *   .pipe(concatMap(({ market, order_id }) => orders.cancel({ market, order_id })))
 *   .subscribe((order) => console.log(order.status));
 * ```
 */
export const cancel: Endpoint<CancelParams, Order> = defineEndpoint({
  name: 'orders.cancel',
  path: '/api/v4/order/cancel',
  safety: 'idempotent',
  priority: 'urgent',
  key: ({ market, order_id, client_order_id }) => JSON.stringify([market, order_id, client_order_id]),
  request,
  response: orderSchema,
  matchesRequest: isNamedBy,
  errorCodes: orderNotFoundCodes,
  resultLookup: { after: ['order-not-found'], finds: 'ended order', history, outputOf: (order) => order },
});
