import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { record, type RecordOf } from '../../model/tolerant.js';

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
