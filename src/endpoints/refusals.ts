// What the exchange's codes mean on the order endpoints. Spec, Errors; and what the live exchange adds.
import type { Refusal } from '../endpoint.js';
import { errorCodes } from '../model/error-body.js';

/** What has a step: an amount in the base currency, and every price. */
const stepFields = ['amount', 'price', 'activation_price', 'stop_limit_price', 'stopLoss', 'takeProfit'];

/** Cases of every endpoint that places an order. */
export const orderRefusals: readonly Refusal[] = [
  ...stepFields.map((field): Refusal => ({ code: errorCodes.step, field, reason: 'step' })),
  { code: errorCodes.market, reason: 'market' },
  { code: errorCodes.amount, reason: 'amount' },
  { code: errorCodes.price, field: 'price', reason: 'price' },
  { code: errorCodes.clientOrderId, reason: 'client-order-id' },
];

/** Cases of the collateral orders, beside those of every order. */
export const collateralOrderRefusals: readonly Refusal[] = [
  ...orderRefusals,
  { code: errorCodes.balance, reason: 'insufficient-balance' },
  { code: errorCodes.wouldTake, reason: 'would-take' },
  { code: 14, reason: 'would-take' },
  { code: errorCodes.conflictingFlags, reason: 'conflicting-flags' },
  { code: errorCodes.rpiWithIoc, reason: 'conflicting-flags' },
  { code: 111, reason: 'position-limit' },
  { code: 112, reason: 'position-limit' },
  { code: 113, reason: 'positions-open' },
  { code: 114, reason: 'position-side' },
  { code: 115, reason: 'opposite-position' },
  { code: errorCodes.reduceOnly, reason: 'reduce-only' },
];
