import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../define-endpoint.js';
import { leverages } from '../../model/leverage.js';
import { number, record } from '../../model/tolerant.js';
import { oneOf } from '../fields.js';

const request = v.strictObject({
  /** 1 (none), 2, 3, 5, 10, 20, 50 or 100; a market's `max_leverage` may cap it. */
  leverage: oneOf(leverages),
});

const response = record({
  /** The active leverage after the change, 1 (none) to 100. */
  leverage: v.pipe(number, v.integer(), v.minValue(1), v.maxValue(100)),
});

/** Parameters of {@link setLeverage}. */
export interface SetLeverageParams extends v.InferInput<typeof request> {}

/** The active leverage. */
export interface ActiveLeverage extends v.InferOutput<typeof response> {}

/**
 * Sets the leverage of the collateral account. Answers the active leverage after the change.
 *
 * Errors: {@link ApiError} with `reason` `insufficient-balance` (17) or `positions-open` (113: positions or orders are
 * open), and those of every call, see {@link AnyExchangeError}.
 *
 * `POST /api/v4/collateral-account/leverage` · private · limit group `leverage`, 1000 requests / 10 s
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.collateral.setLeverage({ leverage: 5 }).subscribe(({ leverage }) => console.log(leverage));
 * ```
 */
export const setLeverage: Endpoint<SetLeverageParams, ActiveLeverage> = defineEndpoint({
  name: 'collateral.setLeverage',
  method: 'POST',
  path: '/api/v4/collateral-account/leverage',
  rateLimit: { limit: 1000, windowMs: 10_000 },
  authentication: 'signed',
  safety: 'idempotent',
  request,
  response,
  errorCodes: [
    { code: 17, reason: 'insufficient-balance' },
    { code: 113, reason: 'positions-open' },
  ],
});
