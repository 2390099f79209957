import * as v from 'valibot';
import { agreesOn } from '../agrees-on.js';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { optional, type RecordOf } from '../../model/tolerant.js';
import { undocumented } from './undocumented.js';
import { flag, type ParamsOf } from '../fields.js';

const params = {
  /** Whether a market may have a long and a short position at once. */
  hedgeMode: flag,
};

const fields = {
  /** The mode after the change. The exchange may leave it out: its response is not documented. */
  hedgeMode: optional(v.boolean()),
};

/** Parameters of {@link setHedgeMode}. */
export interface SetHedgeModeParams extends ParamsOf<typeof params> {}

/** The hedge mode after the change, as far as the exchange sends it. Unknown fields are kept. */
export interface ActiveHedgeMode extends RecordOf<typeof fields> {}

/**
 * Switches the hedge mode of the collateral account on or off. In hedge mode, every collateral order names its
 * `positionSide`, see {@link hedgeMode}.
 *
 * `positions-open` means that positions or orders are open: close and cancel them first. After the last one was closed,
 * the exchange may still reject the change for about 15 s.
 *
 * @example
 * ```ts
 * import { concatMap } from 'rxjs';
 *
 * const { collateral } = exchange;
 * collateral
 *   .setHedgeMode({ hedgeMode: true })
 *   .pipe(concatMap(() => collateral.hedgeMode()))
 *   .subscribe(({ hedgeMode }) => console.log(hedgeMode)); // true
 * ```
 */
export const setHedgeMode: Endpoint<SetHedgeModeParams, ActiveHedgeMode> = defineEndpoint({
  name: 'collateral.setHedgeMode',
  path: '/api/v4/collateral-account/hedge-mode/update',
  rateLimit: { limit: 1000, windowMs: 10_000 },
  safety: 'idempotent',
  request: v.strictObject(params),
  response: undocumented(fields),
  matchesRequest: agreesOn('hedgeMode'),
  errorCodes: [{ code: 113, reason: 'positions-open' }],
});
