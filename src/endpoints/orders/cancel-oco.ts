import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { legsOf, ocoOrderSchema, type OcoOrder } from '../../model/oco-order.js';
import { isNamedBy } from '../../model/placed-as.js';
import { clientOrderId, marketName, orderId, exactlyOne, type ExactlyOne, type ParamsOf } from '../fields.js';
import { orderNotFoundCodes } from '../order-error-codes.js';
import { history } from './history.js';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /**
   * The number of the OCO order, its `id`, and not that of one of its orders. Exactly one of `order_id` and
   * `client_order_id` is required.
   */
  order_id: v.exactOptional(orderId),
  /** Your identifier of the OCO order. Exactly one of `order_id` and `client_order_id` is required. */
  client_order_id: v.exactOptional(clientOrderId),
};

interface CancelOcoFields extends ParamsOf<typeof params> {}

/** Parameters of {@link cancelOco}. Exactly one of `order_id` and `client_order_id` is required. */
export type CancelOcoParams = ExactlyOne<CancelOcoFields, 'order_id' | 'client_order_id'>;

/**
 * Cancels both orders of an OCO order, by one of its identifiers. Emits the OCO order as it was canceled.
 *
 * `order-not-found` means that no such OCO order is open: it may have been activated or filled. Where an earlier request
 * of the same observable may have canceled it, because its response was lost, its orders are looked up in the history by
 * `client_order_id`, and the OCO order is emitted as they ended: without its `id`, and one of them may have been filled.
 * The outcome is `unknown` when the history does not show both within seconds, and with `order_id`, because no list has
 * the number of an OCO order that has ended. With `client_order_id`, a request that arrives late can cancel a newer OCO
 * order that has the same identifier; with `order_id` it cannot.
 *
 * @example
 * ```ts
 * import { concatMap } from 'rxjs';
 *
 * const { collateral, orders } = exchange;
 * const market = 'BTC_USDT';
 * collateral
 *   .placeOcoOrder({ market, side: 'buy', amount: '0.01', price: '50000', activation_price: '70000', stop_limit_price: '70100' })
 *   .pipe(concatMap(({ client_order_id }) => orders.cancelOco({ market, client_order_id })))
 *   .subscribe(({ take_profit, stop_loss }) => console.log(take_profit?.status, stop_loss?.status));
 * ```
 */
export const cancelOco: Endpoint<CancelOcoParams, OcoOrder> = defineEndpoint({
  name: 'orders.cancelOco',
  path: '/api/v4/order/oco-cancel',
  safety: 'idempotent',
  priority: 'urgent',
  key: ({ market, order_id, client_order_id }) => JSON.stringify([market, order_id, client_order_id]),
  request: v.pipe(v.strictObject(params), exactlyOne('order_id', 'client_order_id')),
  response: ocoOrderSchema,
  matchesRequest: ({ market, order_id, client_order_id }, oco) =>
    (order_id === undefined || oco.id === undefined || oco.id === order_id) &&
    (client_order_id === undefined || oco.client_order_id === client_order_id) &&
    legsOf(oco).every((order) => isNamedBy({ market }, order)),
  errorCodes: orderNotFoundCodes,
  resultLookup: { after: ['order-not-found'], finds: 'ended OCO order', history, outputOf: (oco) => oco },
});
