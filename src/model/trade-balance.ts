// The trade balance: what spot orders spend, by asset.
import * as v from 'valibot';
import { isRecord } from './map.js';
import { decimalText, mapOf, optionalDecimal, optionalText, record, type RecordOf } from './tolerant.js';

const assetTradeBalanceFields = {
  /** Amount that new orders can spend, in the asset. */
  available: decimalText,
  /** Amount that open orders reserve, in the asset. It is not part of `available`. */
  freeze: optionalDecimal,
};

/** The trade balance of one asset. Unknown fields are kept. */
export interface AssetTradeBalance extends RecordOf<typeof assetTradeBalanceFields> {}

/** The trade balance by asset: `{ BTC: { available: "0.5", freeze: "0.1" } }`. */
export interface TradeBalance extends Record<string, AssetTradeBalance> {}

export const assetTradeBalanceSchema: v.GenericSchema<unknown, AssetTradeBalance> = record(assetTradeBalanceFields);

export const tradeBalanceSchema: v.GenericSchema<unknown, TradeBalance> = mapOf(assetTradeBalanceSchema);

const tradeBalanceOfFields = {
  ...assetTradeBalanceFields,
  /** The asset, where the response names it. */
  ticker: optionalText,
};

/** The trade balance of the requested asset. Unknown fields are kept. */
export interface TradeBalanceOf extends RecordOf<typeof tradeBalanceOfFields> {}

/** The balance of one asset, bare or under the asset's name: both are published. */
export const tradeBalanceOfSchema: v.GenericSchema<unknown, TradeBalanceOf> = v.pipe(
  v.unknown(),
  v.transform(withTicker),
  record(tradeBalanceOfFields),
);

function withTicker(response: unknown): unknown {
  if (!isRecord(response) || Object.hasOwn(response, 'available')) return response;
  const [entry, ...others] = Object.entries(response);
  if (entry === undefined || others.length > 0) return response;
  const [ticker, balance] = entry;
  return isRecord(balance) ? { ticker, ...balance } : response;
}
