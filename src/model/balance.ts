// The main balance: a map from asset to balance. The exchange leaves out assets whose balance is zero.
import * as v from 'valibot';
import { isRecord } from './map.js';
import { decimalText, mapOf, optionalText, record, type RecordOf } from './tolerant.js';

const assetBalanceFields = {
  /** The balance, a decimal string. */
  main_balance: decimalText,
};

/** The main balance of one asset. Unknown fields are kept. */
export interface AssetBalance extends RecordOf<typeof assetBalanceFields> {}

/** The main balance by asset: `{ BTC: { main_balance: "0.5" } }`. */
export interface Balance extends Record<string, AssetBalance> {}

export const balanceSchema: v.GenericSchema<unknown, Balance> = mapOf<AssetBalance>(record(assetBalanceFields));

const balanceOfAssetFields = {
  ...assetBalanceFields,
  /** The asset, where the response names it. */
  ticker: optionalText,
};

/** The main balance of the requested asset. Unknown fields are kept. */
export interface MainBalanceOf extends RecordOf<typeof balanceOfAssetFields> {}

export const mainBalanceOfSchema: v.GenericSchema<unknown, MainBalanceOf> = v.pipe(
  v.unknown(),
  v.transform((response) => withTicker(response, 'main_balance')),
  record(balanceOfAssetFields),
);

/** The balance of one asset, bare or under the asset's name: both are published. `field` is in each balance. */
export function withTicker(response: unknown, field: string): unknown {
  if (!isRecord(response) || Object.hasOwn(response, field)) return response;
  const [entry, ...others] = Object.entries(response);
  if (entry === undefined || others.length > 0) return response;
  const [ticker, balance] = entry;
  return isRecord(balance) ? { ticker, ...balance } : response;
}

/** Whether an asset of a response is the requested one, as far as both are given. */
export function isRequestedAsset({ ticker }: Readonly<Record<string, unknown>>, shown: string | undefined): boolean {
  return shown === undefined || typeof ticker !== 'string' || shown.toUpperCase() === ticker.toUpperCase();
}
