// The fees of deposits and withdrawals of an asset.
import * as v from 'valibot';
import { isRecord } from '../../model/map.js';
import * as t from '../../model/tolerant.js';

const flexibleFields = {
  /** Part of the amount, percent. */
  percent: t.optionalDecimal,
  /** Minimum fee, in the asset. */
  min_fee: t.optionalDecimal,
  /** Maximum fee, in the asset. */
  max_fee: t.optionalDecimal,
};

/** A fee that depends on the amount. Unknown fields are kept. */
export interface FlexibleFee extends t.RecordOf<typeof flexibleFields> {}

const flexibleSchema: v.GenericSchema<unknown, FlexibleFee> = t.record(flexibleFields);

const transferFeeFields = {
  /** Minimum amount, in the asset. */
  min_amount: t.optionalDecimal,
  /** Maximum amount, in the asset. `"0"`, or absent: unlimited, or not readable. */
  max_amount: t.optionalDecimal,
  /** Fixed fee, in the asset. Absent: none, or not readable. */
  fixed: t.optionalDecimal,
  /** Fee that depends on the amount. Absent: none, or not readable. */
  flex: t.optional(flexibleSchema),
};

/** Bounds and fee of a deposit or a withdrawal. Unknown fields are kept. */
export interface TransferFee extends t.RecordOf<typeof transferFeeFields> {}

const possibleFields = {
  /** Whether deposits are possible. Absent: false. */
  is_depositable: t.optionalFlag,
  /** Whether withdrawals are possible. Absent: false. */
  is_withdrawal: t.optionalFlag,
  /** Whether deposits are possible through the API. Absent: false. */
  is_api_depositable: t.optionalFlag,
  /** Whether withdrawals are possible through the API. Absent: false. */
  is_api_withdrawal: t.optionalFlag,
};

const providerFeeFields = {
  /** The provider's key. */
  ticker: t.optionalText,
  /** The provider's name. */
  name: t.optionalText,
  ...transferFeeFields,
  ...possibleFields,
};

/** Bounds and fee of one payment provider. Unknown fields are kept. */
export interface ProviderFee extends t.RecordOf<typeof providerFeeFields> {}

/** Bounds and fees of a fiat asset, by payment provider. */
export interface FeesByProvider extends Record<string, ProviderFee> {}

const transferFeeSchema: v.GenericSchema<unknown, TransferFee> = t.record(transferFeeFields);
const providerFeeSchema: v.GenericSchema<unknown, ProviderFee> = t.record(providerFeeFields);
const feesByProviderSchema: v.GenericSchema<unknown, FeesByProvider> = t.mapOf(providerFeeSchema);

/**
 * Whether a fee of an asset is stated for each payment provider, as that of most fiat assets is.
 *
 * @example
 * ```ts
 * import { hasFeesByProvider, type AssetFees } from 'exchange-rx';
 *
 * const fixedFee = ({ withdraw }: AssetFees) =>
 *   withdraw === undefined || hasFeesByProvider(withdraw) ? undefined : withdraw.fixed;
 * ```
 */
export function hasFeesByProvider(fee: TransferFee | FeesByProvider): fee is FeesByProvider {
  return isMapOfRecords(fee);
}

function isMapOfRecords(fee: unknown): boolean {
  return (
    isRecord(fee) &&
    !Object.keys(transferFeeFields).some((name) => Object.hasOwn(fee, name)) &&
    Object.values(fee).some(isRecord)
  );
}

const anyFeeSchema = v.lazy((fee): v.GenericSchema<unknown, TransferFee | FeesByProvider> =>
  isMapOfRecords(fee) ? feesByProviderSchema : transferFeeSchema,
);

const assetFeesFields = {
  /** The asset, without its network. */
  ticker: t.optionalText,
  /** Name, such as `Bitcoin`. */
  name: t.optionalText,
  /** Payment providers of a fiat asset. */
  providers: t.optional(t.partOf(t.text)),
  /** Deposit: one fee, or one for each provider, see {@link hasFeesByProvider}. */
  deposit: t.optional(anyFeeSchema),
  /** Withdrawal: one fee, or one for each provider, see {@link hasFeesByProvider}. */
  withdraw: t.optional(anyFeeSchema),
  ...possibleFields,
};

/** The fees of deposits and withdrawals of an asset. Unknown fields are kept. */
export interface AssetFees extends t.RecordOf<typeof assetFeesFields> {}

export const assetFeesSchema: v.GenericSchema<unknown, AssetFees> = t.record(assetFeesFields);
