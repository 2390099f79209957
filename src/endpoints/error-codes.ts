// What the exchange's codes mean on several endpoints. Spec, Errors; and what the live exchange adds.
import type { ErrorCode } from '../endpoint/index.js';
import { apiErrorCodes } from '../model/error-body.js';

/** What has a step: an amount in the base currency, and every price. */
const stepFields = ['amount', 'price', 'activation_price', 'stop_limit_price', 'stopLoss', 'takeProfit'];

/** Cases of every endpoint that places an order. */
export const orderErrorCodes: readonly ErrorCode[] = [
  ...stepFields.map((field): ErrorCode => ({ code: apiErrorCodes.step, field, reason: 'step' })),
  { code: apiErrorCodes.balance, reason: 'insufficient-balance' },
  { code: apiErrorCodes.amount, reason: 'amount' },
  { code: apiErrorCodes.price, field: 'price', reason: 'price' },
  { code: apiErrorCodes.clientOrderId, reason: 'client-order-id' },
];

/** Cases of an order that must not execute immediately. */
const wouldTakeCodes: readonly ErrorCode[] = [
  { code: apiErrorCodes.wouldTake, reason: 'would-take' },
  { code: 14, reason: 'would-take' },
];

/** Cases of the flags of limit orders. */
const flagErrorCodes: readonly ErrorCode[] = [
  ...wouldTakeCodes,
  { code: apiErrorCodes.conflictingFlags, reason: 'conflicting-flags' },
  { code: apiErrorCodes.rpiWithIoc, reason: 'conflicting-flags' },
];

/** Cases of the spot limit orders. */
export const spotLimitErrorCodes: readonly ErrorCode[] = [
  ...orderErrorCodes,
  ...flagErrorCodes,
  { code: apiErrorCodes.rpiWithRetail, reason: 'conflicting-flags' },
];

/** Cases of the collateral orders, beside those of every order. */
export const collateralOrderErrorCodes: readonly ErrorCode[] = [
  ...orderErrorCodes,
  { code: 111, reason: 'position-limit' },
  { code: 112, reason: 'position-limit' },
  { code: 113, reason: 'positions-open' },
  { code: 114, reason: 'position-side' },
  { code: 115, reason: 'opposite-position' },
  { code: apiErrorCodes.reduceOnly, reason: 'reduce-only' },
];

/** No such order is open. `errors` may lack the field; code 2 of a key has another status. */
export const orderNotFoundCodes: readonly ErrorCode[] = [
  { code: 2, field: 'orderId', reason: 'order-not-found' },
  { code: 2, field: 'order_id', reason: 'order-not-found' },
  { code: 2, status: 400, reason: 'order-not-found' },
  { code: 2, status: 422, reason: 'order-not-found' },
];

/** Cases of a modified order: those of an order, and of an order that is not open. */
export const modifyErrorCodes: readonly ErrorCode[] = [...orderNotFoundCodes, ...orderErrorCodes, ...wouldTakeCodes];

/** Cases of the collateral limit orders. */
export const collateralLimitErrorCodes: readonly ErrorCode[] = [...collateralOrderErrorCodes, ...flagErrorCodes];

/** Of public endpoints that read one market. Their bodies have no code. */
export const marketErrorCodes: readonly ErrorCode[] = [
  { status: 422, field: 'market', reason: 'market' },
  { status: 422, reason: 'validation' },
];

/** Of margin and futures, which the exchange does not offer in every region. */
export const regionErrorCodes: readonly ErrorCode[] = [{ status: 451, reason: 'region' }];
