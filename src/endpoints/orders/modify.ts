import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { type Order, orderSchema, stpModes } from '../../model/order.js';
import { hasValuesOf, isNamedBy } from '../../model/placed-as.js';
import { modifyErrorCodes } from '../error-codes.js';
import { clientOrderId, marketName, oneOf, orderId, type ParamsOf, positiveDecimal, rule } from '../fields.js';
import { history } from './history.js';
import { open } from './open.js';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** The exchange's identifier of the order as it is now. */
  order_id: orderId,
  /**
   * Your identifier of the order, if it has one. It is not sent: after a lost response, the modified order is looked up by
   * it.
   */
  client_order_id: v.exactOptional(clientOrderId),
  /**
   * New amount, base currency: a decimal string or a finite number, above 0. The modified order begins unfilled: what the
   * order had filled before does not count.
   */
  amount: v.exactOptional(positiveDecimal),
  /** New total of a stop market order that buys, quote currency. Cannot be combined with `amount`. */
  total: v.exactOptional(positiveDecimal),
  /** New limit price, quote currency. */
  price: v.exactOptional(positiveDecimal),
  /** New activation price of a stop order, quote currency. */
  activation_price: v.exactOptional(positiveDecimal),
  /**
   * Self-trade prevention of the modified order: see {@link StpMode}.
   *
   * @default 'no'
   */
  stp: v.exactOptional(oneOf(stpModes)),
};

const request = v.pipe(
  v.strictObject(params),
  rule(
    'amount',
    ({ amount, total, price, activation_price }) =>
      [amount, total, price, activation_price].some((value) => value !== undefined),
    'total, price or activation_price is required: nothing would be modified',
  ),
  rule('total', ({ amount, total }) => amount === undefined || total === undefined, 'cannot be combined with amount'),
);

/** Parameters of {@link modify}. At least one of `amount`, `total`, `price` and `activation_price` is required. */
export interface ModifyParams extends ParamsOf<typeof params> {}

/** Older descriptions show the order in a list. */
const response: v.GenericSchema<unknown, Order> = v.pipe(
  v.unknown(),
  v.transform((body): unknown => (Array.isArray(body) && body.length === 1 ? body[0] : body)),
  orderSchema,
);

/**
 * Modifies an open limit, stop limit or stop market order, spot or collateral. The exchange cancels the order and places
 * another at the end of the queue: **the modified order has a new `order_id`**, and keeps its `client_order_id`. Emits the
 * modified order.
 *
 * An order is modified by `order_id` only: the old `order_id` ends with the modification, so a request that is sent again
 * cannot modify the order twice. A response counts only with a later `order_id` that is not known as that of another
 * order, and with the side of the order if this client placed it. `order-not-found` means that no such order is open. After a lost response, the
 * modified order is looked up by its `client_order_id`; the outcome is `unknown` when it cannot be found.
 *
 * @example
 * ```ts
 * import { concatMap } from 'rxjs';
 *
 * const { spot, orders } = exchange;
 * spot
 *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '50000' })
 *   .pipe(
 *     concatMap(({ market, order_id, client_order_id }) =>
 *       orders.modify({ market, order_id, client_order_id, price: '50100' }),
 *     ),
 *   )
 *   .subscribe((order) => console.log('now', order.order_id, order.price));
 * ```
 */
export const modify: Endpoint<ModifyParams, Order> = defineEndpoint({
  name: 'orders.modify',
  path: '/api/v4/order/modify',
  safety: 'idempotent',
  key: ({ market, order_id }) => JSON.stringify([market, order_id]),
  request,
  response,
  matchesRequest: (fields, order) =>
    isNamedBy({ market: fields['market'] }, order) &&
    (order.client_order_id === '' || isNamedBy({ client_order_id: fields['client_order_id'] }, order)) &&
    hasValuesOf(fields, order),
  toCheck: (values) => ({ ...values, type: 'modification' }),
  replaces: ({ market, order_id, client_order_id }) => ({ market, order_id, client_order_id }),
  localParameters: ['client_order_id'],
  wireNames: { activation_price: 'activationPrice' },
  errorCodes: modifyErrorCodes,
  resultLookup: { after: ['order-not-found'], finds: 'modified order', open, history, outputOf: (order) => order },
});
