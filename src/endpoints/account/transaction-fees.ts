import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { mainAccountRateLimit } from '../rate-limits.js';

const feeFields = {
  /** Fixed fee, in the asset. */
  fixed: t.optionalDecimal,
  /** Part of the amount, percent. */
  percentFlex: t.optionalDecimal,
  /** Minimum of the fee that depends on the amount, in the asset. */
  minFlex: t.optionalDecimal,
  /** Maximum of the fee that depends on the amount, in the asset. `"0"`: none. */
  maxFlex: t.optionalDecimal,
  /** Minimum amount, in the asset. */
  minAmount: t.optionalDecimal,
  /** Maximum amount, in the asset. `"0"`: unlimited. */
  maxAmount: t.optionalDecimal,
};

/** Bounds and fee of a deposit or a withdrawal. Unknown fields are kept. */
export interface TransactionFee extends t.RecordOf<typeof feeFields> {}

const fields = {
  /** The asset, such as `BTC`. */
  ticker: t.text,
  /** Name of the asset. */
  name: t.optionalText,
  /** Whether it can be deposited. */
  can_deposit: t.optionalFlag,
  /** Whether it can be withdrawn. */
  can_withdraw: t.optionalFlag,
  /** Of deposits. */
  deposit: t.optional<TransactionFee>(t.record(feeFields)),
  /** Of withdrawals. */
  withdraw: t.optional<TransactionFee>(t.record(feeFields)),
};

/** The fees of deposits and withdrawals of an asset, for this account. Unknown fields are kept. */
export interface TransactionFees extends t.RecordOf<typeof fields> {}

/**
 * Lists the fees of deposits and withdrawals for this account, by asset. {@link assetFees} lists those of everybody.
 *
 * @example
 * ```ts
 * exchange.account.transactionFees().subscribe((fees) => console.log(fees.find(({ ticker }) => ticker === 'BTC')?.withdraw));
 * ```
 */
export const transactionFees: Endpoint<NoParams, TransactionFees[]> = defineEndpoint({
  name: 'account.transactionFees',
  path: '/api/v4/main-account/fee',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  response: t.listOf<TransactionFees>(t.record(fields)),
});
