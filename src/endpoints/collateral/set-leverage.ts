import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { leverages } from '../../model/position.js';
import * as t from '../../model/tolerant.js';
import { agreesOn } from '../agrees-on.js';
import { oneOf, type ParamsOf } from '../fields.js';

const params = {
  /** Leverage: 1 (none), 2, 3, 5, 10, 20, 50 or 100. The `max_leverage` of a market caps it. */
  leverage: oneOf(leverages),
};

const fields = {
  /** Active leverage after the change, 1 (none) to 100. */
  leverage: v.pipe(t.number, v.integer(), v.minValue(1), v.maxValue(100)),
};

/** Parameters of {@link setLeverage}. */
export interface SetLeverageParams extends ParamsOf<typeof params> {}

/** The active leverage. Unknown fields are kept. */
export interface ActiveLeverage extends t.RecordOf<typeof fields> {}

/**
 * Sets the leverage of the collateral account, for margin and futures alike. Emits the active leverage.
 *
 * @example
 * ```ts
 * exchange.collateral.setLeverage({ leverage: 5 }).subscribe(({ leverage }) => console.log(leverage));
 * ```
 */
export const setLeverage: Endpoint<SetLeverageParams, ActiveLeverage> = defineEndpoint({
  name: 'collateral.setLeverage',
  path: '/api/v4/collateral-account/leverage',
  rateLimit: { limit: 1000, windowMs: 10_000 },
  safety: 'idempotent',
  request: v.strictObject(params),
  response: t.record(fields),
  matchesRequest: agreesOn('leverage'),
  errorCodes: [
    { code: 17, reason: 'insufficient-balance' },
    { code: 113, reason: 'positions-open' },
  ],
});
