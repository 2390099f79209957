// The fees of deposits and withdrawals of an asset.
import * as v from 'valibot';
import { isRecord } from '../../model/map.js';
import {
  mapOf,
  optional,
  optionalDecimal,
  optionalFlag,
  optionalText,
  partOf,
  record,
  text,
  type RecordOf,
} from '../../model/tolerant.js';

const flexibleFields = {
  /** Part of the amount, percent. */
  percent: optionalDecimal,
  /** Minimum fee, in the asset. */
  min_fee: optionalDecimal,
  /** Maximum fee, in the asset. */
  max_fee: optionalDecimal,
};

/** A fee that depends on the amount. Unknown fields are kept. */
export interface FlexibleFee extends RecordOf<typeof flexibleFields> {}

const flexibleSchema: v.GenericSchema<unknown, FlexibleFee> = record(flexibleFields);

const transferFeeFields = {
  /** Minimum amount, in the asset. */
  min_amount: optionalDecimal,
  /** Maximum amount, in the asset. `"0"`, or absent: unlimited, or not readable. */
  max_amount: optionalDecimal,
  /** Fixed fee, in the asset. Absent: none, or not readable. */
  fixed: optionalDecimal,
  /** Fee that depends on the amount. Absent: none, or not readable. */
  flex: optional(flexibleSchema),
};

/** Bounds and fee of a deposit or a withdrawal. Unknown fields are kept. */
export interface TransferFee extends RecordOf<typeof transferFeeFields> {}

const possibleFields = {
  /** Whether deposits are possible. Absent: false. */
  is_depositable: optionalFlag,
  /** Whether withdrawals are possible. Absent: false. */
  is_withdrawal: optionalFlag,
  /** Whether deposits are possible through the API. Absent: false. */
  is_api_depositable: optionalFlag,
  /** Whether withdrawals are possible through the API. Absent: false. */
  is_api_withdrawal: optionalFlag,
};

const providerFeeFields = {
  /** The provider's key. */
  ticker: optionalText,
  /** The provider's name. */
  name: optionalText,
  ...transferFeeFields,
  ...possibleFields,
};

/** Bounds and fee of one payment provider. Unknown fields are kept. */
export interface ProviderFee extends RecordOf<typeof providerFeeFields> {}

/** Bounds and fees of a fiat asset, by payment provider. */
export interface FeesByProvider extends Record<string, ProviderFee> {}

const transferFeeSchema: v.GenericSchema<unknown, TransferFee> = record(transferFeeFields);
const providerFeeSchema: v.GenericSchema<unknown, ProviderFee> = record(providerFeeFields);
const feesByProviderSchema: v.GenericSchema<unknown, FeesByProvider> = mapOf(providerFeeSchema);

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
  ticker: optionalText,
  /** Name, such as `Bitcoin`. */
  name: optionalText,
  /** Payment providers of a fiat asset. */
  providers: optional(partOf(text)),
  /** Deposit: one fee, or one for each provider, see {@link hasFeesByProvider}. */
  deposit: optional(anyFeeSchema),
  /** Withdrawal: one fee, or one for each provider, see {@link hasFeesByProvider}. */
  withdraw: optional(anyFeeSchema),
  ...possibleFields,
};

/** The fees of deposits and withdrawals of an asset. Unknown fields are kept. */
export interface AssetFees extends RecordOf<typeof assetFeesFields> {}

export const assetFeesSchema: v.GenericSchema<unknown, AssetFees> = record(assetFeesFields);
