import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isNothing, isRecord, namedSchema } from '../../model/map.js';
import * as t from '../../model/tolerant.js';
import { liveNames } from '../../model/wire-names.js';
import { agreesOn } from '../agrees-on.js';
import { clientOrderId, exactlyOne, type ExactlyOne, marketName, orderId, type ParamsOf } from '../fields.js';

/** The order was open, and is canceled. Its identifiers, as far as the response has them. */
export interface CanceledOrder {
  readonly result: 'canceled';
  readonly market?: string | undefined;
  readonly order_id?: number | undefined;
  readonly client_order_id?: string | undefined;
}

/** Why an order of the list was not canceled, in the exchange's words. */
interface CancelFailure {
  /** The exchange's code. */
  readonly code?: number | undefined;
  /** The exchange's message. */
  readonly message?: string | undefined;
  /** The exchange's messages by parameter. */
  readonly errors?: Readonly<Record<string, unknown>> | undefined;
}

/** No such order is open: it may have been filled, or an earlier attempt canceled it. */
export interface OrderNotFound extends CancelFailure {
  readonly result: 'not-found';
}

/** The order was not canceled, as far as the exchange knows. */
export interface FailedCancel extends CancelFailure {
  readonly result: 'failed';
  /** `rejected`: the order was not canceled. `unknown`: it may have been, so look it up or cancel it again. */
  readonly outcome: 'rejected' | 'unknown';
}

/** The result of one cancel of a list. */
export type CancelResult = CanceledOrder | OrderNotFound | FailedCancel;

const canceledSchema = t.record(
  { market: t.optionalText, order_id: t.optional(t.integer), client_order_id: t.optionalText },
  liveNames,
);
/** Other fields are dropped: the identifiers of a failure are those of the request. */
const failureSchema = v.object({
  code: t.optionalNumber,
  message: t.optionalText,
  errors: t.optional(v.pipe(namedSchema, v.record(v.string(), v.unknown()))),
});

/** No such order of a list. */
const notFoundCode = 404;
/** No such order, as the code of every other cancel: only with an error about its identifier, because a key has it, too. */
const notFoundByField = 2;
const identifiers = ['orderId', 'order_id', 'clientOrderId', 'client_order_id'];
/** A code of a request that was checked and rejected. */
const rejectionCodes: readonly unknown[] = [30, 31, 36];

/** The results in the order of the request. What cannot be read is a failure of unknown outcome, and keeps its place. */
const cancelResultsSchema: v.GenericSchema<unknown, CancelResult[]> = v.pipe(
  v.array(v.unknown()),
  v.transform((items) => items.map(readResult)),
);

function readResult(item: unknown): CancelResult {
  const { result, error } = isRecord(item) ? item : {};
  const canceled = v.safeParse(canceledSchema, result);
  // The exchange names the order that it canceled: an empty result is no evidence.
  if (canceled.success && isNothing(error) && isNamed(canceled.output))
    return { ...canceled.output, result: 'canceled' };
  const parsed = v.safeParse(failureSchema, error);
  const failure: CancelFailure = parsed.success ? parsed.output : {};
  const { code, errors = {} } = failure;
  const isNotFound =
    code === notFoundCode || (code === notFoundByField && identifiers.some((name) => Object.hasOwn(errors, name)));
  if (isNotFound) return { ...failure, result: 'not-found' };
  return { ...failure, result: 'failed', outcome: rejectionCodes.includes(code) ? 'rejected' : 'unknown' };
}

function isNamed({ order_id, client_order_id = '' }: v.InferOutput<typeof canceledSchema>): boolean {
  return order_id !== undefined || client_order_id !== '';
}

const maxOrders = 100;

const reference = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** The exchange's identifier of the order. Exactly one of `order_id` and `client_order_id` is required. */
  order_id: v.exactOptional(orderId),
  /** Your identifier of the order. Exactly one of `order_id` and `client_order_id` is required. */
  client_order_id: v.exactOptional(clientOrderId),
};

interface Reference extends Readonly<ParamsOf<typeof reference>> {}

/** An order to cancel. */
export type OrderReference = ExactlyOne<Reference, 'order_id' | 'client_order_id'>;

const size = `must be a list of 1 to ${maxOrders} orders`;
const references: v.GenericSchema<readonly Reference[], Reference[]> = v.pipe(
  v.array(v.pipe(v.strictObject(reference), exactlyOne('order_id', 'client_order_id')), size),
  v.minLength(1, size),
  v.maxLength(maxOrders, size),
);

/** Parameters of {@link cancelMany}. */
export interface CancelManyParams {
  /** The orders to cancel, 1 to 100, spot or collateral. */
  readonly orders: readonly OrderReference[];
}

/**
 * Cancels several open orders in one request, each by one of its identifiers. Emits one result for each order, in the
 * order of the request: `canceled`; `not-found`; or `failed` with the reason, whose `outcome` says whether the order may
 * have been canceled all the same. A response with more or fewer results is a {@link ResponseError}.
 *
 * After a lost response, a retry reports an order as `not-found` that an earlier attempt canceled. With
 * `client_order_id`, a request that arrives late can cancel a newer order that has the same identifier; with `order_id`
 * it cannot.
 *
 * @example
 * ```ts
 * const { orders } = exchange;
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
  request: v.strictObject({ orders: references }),
  response: cancelResultsSchema,
  matchesRequest: ({ orders }, results) =>
    Array.isArray(orders) &&
    orders.length === results.length &&
    results.every((result, index) => result.result !== 'canceled' || isResultOf(orders[index], result)),
});

/** Whether a result names no other order than the one that was to be canceled. */
const isResultOf = agreesOn('market', 'order_id', 'client_order_id');
