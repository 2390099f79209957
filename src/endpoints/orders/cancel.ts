import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { type Order, orderSchema } from '../../model/order.js';
import { isNamedBy } from '../../model/placed-as.js';
import { everyAgreesOn } from '../agrees-on.js';
import { orderNotFoundCodes } from '../error-codes.js';
import {
  clientOrderId,
  exactlyOne,
  type ExactlyOne,
  marketName,
  oneOf,
  orderId,
  orderKindList,
  type ParamsOf,
  rule,
} from '../fields.js';
import { history } from './history.js';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** The exchange's identifier of the order. Exactly one of `order_id` and `client_order_id` is required. */
  order_id: v.exactOptional(orderId),
  /** Your identifier of the order. Exactly one of `order_id` and `client_order_id` is required. */
  client_order_id: v.exactOptional(clientOrderId),
};

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
  request: v.pipe(v.strictObject(params), exactlyOne('order_id', 'client_order_id')),
  response: orderSchema,
  matchesRequest: isNamedBy,
  errorCodes: orderNotFoundCodes,
  resultLookup: { after: ['order-not-found'], finds: 'ended order', history, outputOf: (order) => order },
});

const cancelAllParams = {
  /**
   * Only the orders of this market, `BASE_QUOTE`.
   *
   * @default the orders of all markets
   */
  market: v.exactOptional(marketName),
  /**
   * Kinds of orders to cancel: `spot`, `margin` (collateral orders of a spot market), `futures`.
   *
   * @default all kinds
   */
  type: v.exactOptional(orderKindList),
  /**
   * Only futures orders of this side of the position, in hedge mode: `long` or `short`, in lower case. Requires a
   * `market` of futures, such as `BTC_PERP`.
   */
  positionSide: v.exactOptional(oneOf(['both', 'long', 'short'])),
};

const cancelAllRequest = v.pipe(
  v.strictObject(cancelAllParams),
  rule(
    'positionSide',
    ({ market, positionSide }) => positionSide === undefined || market?.endsWith('_PERP') === true,
    'requires a market of futures, such as "BTC_PERP"',
  ),
);

/** Parameters of {@link cancelAll}. */
export interface CancelAllParams extends ParamsOf<typeof cancelAllParams> {}

/**
 * Cancels all open orders: spot and collateral, of all markets, or those that the parameters name. Emits an empty list
 * when the exchange has canceled them.
 *
 * A cancelAllRequest that arrives late cancels the orders that were placed in the meantime, too. So does a retry: with `retry:
 * false`, a lost response ends the call, and {@link open} shows which orders are left.
 *
 * @example
 * ```ts
 * const { orders } = exchange;
 * orders.cancelAll({ market: 'BTC_USDT', type: ['margin'] }).subscribe(() => console.log('no margin order of BTC_USDT is open'));
 * ```
 */
export const cancelAll: Endpoint<CancelAllParams, unknown[]> = defineEndpoint({
  name: 'orders.cancelAll',
  path: '/api/v4/order/cancel/all',
  safety: 'idempotent',
  priority: 'urgent',
  key: ({ market, type, positionSide }) => JSON.stringify([market, type, positionSide]),
  request: cancelAllRequest,
  response: v.array(v.unknown()),
  matchesRequest: everyAgreesOn('market'),
});
