import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { legsOf, type OcoOrder, ocoOrderSchema } from '../../model/oco-order.js';
import { listOf } from '../../model/tolerant.js';
import { agreesOn, everyAgreesOn } from '../agrees-on.js';
import { orderNotFoundCodes } from '../error-codes.js';
import { clientOrderId, exactlyOne, type ExactlyOne, marketName, orderId, type ParamsOf } from '../fields.js';
import { pageParams, type PageParams } from '../list-params.js';
import { ordersRateLimit } from '../rate-limits.js';
import { history } from './history.js';

const isNamed = agreesOn('order_id', 'client_order_id');
const areOfMarket = everyAgreesOn('market');

const params = {
  /** Only the OCO orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
};

/** Parameters of {@link oco}. */
export interface OcoParams extends PageParams, ParamsOf<typeof params> {}

/**
 * Lists the open OCO orders. An OCO order whose stop order was activated, or one of whose orders was filled, has ended:
 * {@link open} and {@link history} list its orders.
 *
 * @example
 * ```ts
 * exchange.orders.oco({ market: 'BTC_USDT' }).subscribe((list) => {
 *   for (const { id, take_profit, stop_loss } of list) console.log(id, take_profit?.price, stop_loss?.activation_price);
 * });
 * ```
 */
export const oco: Endpoint<OcoParams, OcoOrder[]> = defineEndpoint({
  name: 'orders.oco',
  path: '/api/v4/oco-orders',
  rateLimit: ordersRateLimit,
  safety: 'read',
  page: { defaultLimit: 50 },
  request: v.strictObject({ ...params, ...pageParams }),
  response: listOf(ocoOrderSchema),
  matchesRequest: (requested, list) => areOfMarket(requested, list.flatMap(legsOf)),
});

const cancelOcoParams = {
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

interface CancelOcoFields extends ParamsOf<typeof cancelOcoParams> {}

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
  request: v.pipe(v.strictObject(cancelOcoParams), exactlyOne('order_id', 'client_order_id')),
  response: ocoOrderSchema,
  matchesRequest: (requested, canceled) =>
    isNamed(requested, { ...canceled, order_id: canceled.id }) && areOfMarket(requested, legsOf(canceled)),
  errorCodes: orderNotFoundCodes,
  resultLookup: { after: ['order-not-found'], finds: 'ended OCO order', history, outputOf: (oco) => oco },
});
