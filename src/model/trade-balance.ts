// The trade balance: what spot orders spend, by asset.
import * as v from 'valibot';
import { withTicker } from './balance.js';
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

export const tradeBalanceOfSchema: v.GenericSchema<unknown, TradeBalanceOf> = v.pipe(
  v.unknown(),
  v.transform((response) => withTicker(response, 'available')),
  record(tradeBalanceOfFields),
);
