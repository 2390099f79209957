import * as v from 'valibot';
import { agreesOn } from '../agrees-on.js';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { cancelResultsSchema, type CancelResult } from '../../model/cancel-result.js';
import { clientOrderId, marketName, orderId, type ParamsOf } from '../fields.js';
import { oneIdentifier } from './identifiers.js';

const maxOrders = 100;

const reference = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** The exchange's identifier of the order. Exactly one of `order_id` and `client_order_id` is required. */
  order_id: v.exactOptional(orderId),
  /** Your identifier of the order. Exactly one of `order_id` and `client_order_id` is required. */
  client_order_id: v.exactOptional(clientOrderId),
};

/** An order to cancel. */
export interface OrderReference extends Readonly<ParamsOf<typeof reference>> {}

const size = `must be a list of 1 to ${maxOrders} orders`;
const references: v.GenericSchema<readonly OrderReference[], OrderReference[]> = v.pipe(
  v.array(v.pipe(v.strictObject(reference), oneIdentifier()), size),
  v.minLength(1, size),
  v.maxLength(maxOrders, size),
);

const params = {
  /** The orders to cancel, 1 to 100, spot or collateral. */
  orders: references,
};

/** Parameters of {@link cancelMany}. */
export interface CancelManyParams extends ParamsOf<typeof params> {}

export type { CancelResult } from '../../model/cancel-result.js';

/**
 * Cancels several open orders in one request, each by one of its identifiers. Emits one result for each order, in the
 * order of the request: `canceled`; `not-found`; or `failed` with the reason, whose `outcome` says whether the order may
 * have been canceled all the same. A response with more or fewer results is a {@link ResponseError}.
 *
 * After a lost response, a retry reports an order as `not-found` that an earlier attempt canceled. With
 * `client_order_id`, a request that arrives late can cancel a newer order that has the same identifier; with `order_id`
 * it cannot.
 *
 * `POST /api/v4/order/cancel/bulk` · signed · 10000 requests / 10 s · priority `urgent` · idempotent, retried after a
 * transient failure
 *
 * @throws {@link ApiError} with `reason` `validation` (30)
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/orders.md#orderscancelmany
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const { orders } = createExchange(createSandbox().clientOptions());
 * const ids = ['mine-1', 'mine-2'];
 * orders.cancelMany({ orders: ids.map((client_order_id) => ({ market: 'BTC_USDT', client_order_id })) }).subscribe((results) => {
 *   for (const [index, { result }] of results.entries()) console.log(ids[index], result);
 * });
 * ```
 */
export const cancelMany: Endpoint<CancelManyParams, CancelResult[]> = defineEndpoint({
  name: 'orders.cancelMany',
  path: '/api/v4/order/cancel/bulk',
  safety: 'idempotent',
  priority: 'urgent',
  key: ({ orders }) => JSON.stringify(orders),
  request: v.strictObject(params),
  response: cancelResultsSchema,
  matchesRequest: ({ orders }, results) =>
    Array.isArray(orders) &&
    orders.length === results.length &&
    results.every((result, index) => result.result !== 'canceled' || isResultOf(orders[index], result)),
});

/** Whether a result names no other order than the one that was to be canceled. */
const isResultOf = agreesOn('market', 'order_id', 'client_order_id');
