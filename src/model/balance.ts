// The main balance: a map from asset to balance. The exchange leaves out assets whose balance is zero.
import type * as v from 'valibot';
import { decimalText, mapOf, record, type RecordOf } from './tolerant.js';

const assetBalanceFields = {
  /** The balance, a decimal string. */
  main_balance: decimalText,
};

/** The main balance of one asset. Unknown fields are kept. */
export interface AssetBalance extends RecordOf<typeof assetBalanceFields> {}

/** The main balance by asset: `{ BTC: { main_balance: "0.5" } }`. */
export interface Balance extends Record<string, AssetBalance> {}

export const balanceSchema: v.GenericSchema<unknown, Balance> = mapOf<v.GenericSchema<unknown, AssetBalance>>(
  record(assetBalanceFields),
);

/** Whether an asset of a response is the requested one, as far as both are given. */
export function isRequestedAsset({ ticker }: Readonly<Record<string, unknown>>, shown: string | undefined): boolean {
  return shown === undefined || typeof ticker !== 'string' || shown.toUpperCase() === ticker.toUpperCase();
}
