import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { optional, record, type RecordOf } from '../../model/tolerant.js';
import { agreesOn } from '../agrees-on.js';
import { flag, type ParamsOf } from '../fields.js';
import { undocumented } from './undocumented.js';

const fields = {
  /** Whether the account is in hedge mode. */
  hedgeMode: v.boolean(),
};

/** Whether the account is in hedge mode. Unknown fields are kept. */
export interface HedgeMode extends RecordOf<typeof fields> {}

/**
 * Reads whether the collateral account is in hedge mode. In hedge mode a market may have a long and a short position at
 * once, and every order names its `positionSide`. Otherwise an order on the other side reduces the position.
 *
 * @example
 * ```ts
 * exchange.collateral.hedgeMode().subscribe(({ hedgeMode }) => console.log(hedgeMode ? 'hedge mode' : 'one-way mode'));
 * ```
 */
export const hedgeMode: Endpoint<NoParams, HedgeMode> = defineEndpoint({
  name: 'collateral.hedgeMode',
  path: '/api/v4/collateral-account/hedge-mode',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  response: record(fields),
});

const params = {
  /** Whether a market may have a long and a short position at once. */
  hedgeMode: flag,
};

const activeFields = {
  /** The mode after the change. The exchange may leave it out: its response is not documented. */
  hedgeMode: optional(v.boolean()),
};

/** Parameters of {@link setHedgeMode}. */
export interface SetHedgeModeParams extends ParamsOf<typeof params> {}

/** The hedge mode after the change, as far as the exchange sends it. Unknown fields are kept. */
export interface ActiveHedgeMode extends RecordOf<typeof activeFields> {}

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
  response: undocumented(activeFields),
  matchesRequest: agreesOn('hedgeMode'),
  errorCodes: [{ code: 113, reason: 'positions-open' }],
});
