import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { mainAccountRateLimit } from '../rate-limits.js';

/** Amounts by asset. */
export interface FreeAmounts extends Record<string, string> {}

const fields = {
  /** Value that can leave the account, in a stable coin. */
  availableBalanceStable: t.optionalDecimal,
  /** Amount of each asset that can leave the account: `"0"` for an asset that is wholly held back. */
  assets: t.optional<FreeAmounts>(t.mapOf(t.decimalText)),
};

/** What can leave the account. Unknown fields are kept. */
export interface WithdrawableBalance extends t.RecordOf<typeof fields> {}

/**
 * Reads how much can leave the account.
 *
 * Deposits that were credited before their last confirmation can be traded, but not
 * withdrawn, made a code, or transferred to collateral. Both bounds hold: that of the asset and that of the whole value.
 *
 * @example
 * ```ts
 * exchange.account.withdrawableBalance().subscribe(({ assets }) => console.log(assets?.['USDT'] ?? 'not held back'));
 * ```
 */
export const withdrawableBalance: Endpoint<NoParams, WithdrawableBalance> = defineEndpoint({
  name: 'account.withdrawableBalance',
  path: '/api/v4/main-account/withdrawable-balance',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  response: t.record(fields),
});
