// The balances of the main account, of spot orders and of the collateral account, by asset, and the collateral account as
// a whole. The exchange leaves out assets whose main balance is zero.
import * as v from 'valibot';
import { isRecord } from './map.js';
import * as t from './tolerant.js';

const assetBalanceFields = {
  /** The balance, a decimal string. */
  main_balance: t.decimalText,
};

/** The main balance of one asset. Unknown fields are kept. */
export interface AssetBalance extends t.RecordOf<typeof assetBalanceFields> {}

/** The main balance by asset: `{ BTC: { main_balance: "0.5" } }`. */
export interface Balance extends Record<string, AssetBalance> {}

export const balanceSchema: v.GenericSchema<unknown, Balance> = t.mapOf<AssetBalance>(t.record(assetBalanceFields));

const balanceOfAssetFields = {
  ...assetBalanceFields,
  /** The asset, where the response names it. */
  ticker: t.optionalText,
};

/** The main balance of the requested asset. Unknown fields are kept. */
export interface MainBalanceOf extends t.RecordOf<typeof balanceOfAssetFields> {}

export const mainBalanceOfSchema: v.GenericSchema<unknown, MainBalanceOf> = v.pipe(
  v.unknown(),
  v.transform((response) => withTicker(response, 'main_balance')),
  t.record(balanceOfAssetFields),
);

/** The balance of one asset, bare or under the asset's name: both are published. `field` is in each balance. */
function withTicker(response: unknown, field: string): unknown {
  if (!isRecord(response) || Object.hasOwn(response, field)) return response;
  const [entry, ...others] = Object.entries(response);
  if (entry === undefined || others.length > 0) return response;
  const [ticker, balance] = entry;
  return isRecord(balance) ? { ticker, ...balance } : response;
}

const assetTradeBalanceFields = {
  /** Amount that new orders can spend, in the asset. */
  available: t.decimalText,
  /** Amount that open orders reserve, in the asset. It is not part of `available`. */
  freeze: t.optionalDecimal,
};

/** The trade balance of one asset. Unknown fields are kept. */
export interface AssetTradeBalance extends t.RecordOf<typeof assetTradeBalanceFields> {}

/** The trade balance by asset: `{ BTC: { available: "0.5", freeze: "0.1" } }`. */
export interface TradeBalance extends Record<string, AssetTradeBalance> {}

export const assetTradeBalanceSchema: v.GenericSchema<unknown, AssetTradeBalance> = t.record(assetTradeBalanceFields);

export const tradeBalanceSchema: v.GenericSchema<unknown, TradeBalance> = t.mapOf(assetTradeBalanceSchema);

const tradeBalanceOfFields = {
  ...assetTradeBalanceFields,
  /** The asset, where the response names it. */
  ticker: t.optionalText,
};

/** The trade balance of the requested asset. Unknown fields are kept. */
export interface TradeBalanceOf extends t.RecordOf<typeof tradeBalanceOfFields> {}

export const tradeBalanceOfSchema: v.GenericSchema<unknown, TradeBalanceOf> = v.pipe(
  v.unknown(),
  v.transform((response) => withTicker(response, 'available')),
  t.record(tradeBalanceOfFields),
);

/** The collateral balance by asset, each in the asset: `{ USDT: "1000.5" }`. */
export interface CollateralBalance extends Record<string, string> {}

export const collateralBalanceSchema: v.GenericSchema<unknown, CollateralBalance> = t.mapOf(t.decimalText);

const collateralAssetFields = {
  /** The asset. */
  asset: t.text,
  /** The balance, in the asset. */
  balance: t.optionalDecimal,
  /** What the exchange has lent to you, in the asset. */
  borrow: t.optionalDecimal,
  /** Amount that is available without a loan, in the asset. */
  availableWithoutBorrow: t.optionalDecimal,
  /** Amount that is available with what the exchange would lend, in the asset. */
  availableWithBorrow: t.optionalDecimal,
};

/** The collateral balance of one asset, and what of it is available. Unknown fields are kept. */
export interface CollateralAsset extends t.RecordOf<typeof collateralAssetFields> {}

export const collateralAssetSchema: v.GenericSchema<unknown, CollateralAsset> = t.record(collateralAssetFields);

/** Assets of the collateral account, by asset: `{ USDT: { asset: "USDT", balance: "1000.5" } }`. */
export interface CollateralAssets extends Record<string, CollateralAsset> {}

/** The names of the fields in results of the live connection: those of the map are the assets. */
const resultNames = {
  availableWithoutBorrow: 'available_without_borrow',
  availableWithBorrow: 'available_with_borrow',
} as const;

export const collateralAssetsSchema: v.GenericSchema<unknown, CollateralAssets> = v.pipe(
  v.unknown(),
  v.transform((map) =>
    isRecord(map)
      ? Object.fromEntries(
          Object.entries(map).map(([asset, value]) => [asset, isRecord(value) ? { ...value, asset } : value]),
        )
      : map,
  ),
  t.mapOf<CollateralAsset>(t.record(collateralAssetFields, resultNames)),
);

/** The names of the fields in pushes of the live connection: `B` is the balance, `b` the loan. */
const pushNames = {
  asset: 'a',
  balance: 'B',
  borrow: 'b',
  availableWithoutBorrow: 'av',
  availableWithBorrow: 'ab',
} as const;

export const pushedCollateralAssetSchema: v.GenericSchema<unknown, CollateralAsset> = t.record(
  collateralAssetFields,
  pushNames,
);

const collateralSummaryFields = {
  /** Value of the account, USDT. It includes what the exchange has lent. */
  equity: t.decimalText,
  /** Margin in use, USDT. */
  margin: t.optionalDecimal,
  /** Margin that is free, USDT. */
  freeMargin: t.optionalDecimal,
  /** Funding that is not charged yet, USDT. */
  unrealizedFunding: t.optionalDecimal,
  /** Profit, negative for a loss, USDT. The exchange does not say whether it is realized. */
  pnl: t.optionalDecimal,
  /** Leverage of the account. */
  leverage: t.optionalNumber,
  /**
   * As the exchange sends it: its documents and its responses disagree about the formula, and an account without
   * positions may have a number of 22 digits. Do not compute with it.
   */
  marginFraction: t.optionalDecimal,
  /** As the exchange sends it. Not published, but seen. */
  maintenanceMarginFraction: t.optionalDecimal,
  /** Equity of the futures, as the exchange sends it. Not published, but seen. */
  futuresEquity: t.optionalDecimal,
  /** Free margin of the futures, as the exchange sends it. Not published, but seen. */
  futuresFreeMargin: t.optionalDecimal,
};

/** The collateral account as a whole. Unknown fields are kept. */
export interface CollateralSummary extends t.RecordOf<typeof collateralSummaryFields> {}

export const collateralSummarySchema: v.GenericSchema<unknown, CollateralSummary> = t.record(collateralSummaryFields);
