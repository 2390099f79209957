// The collateral account: its balance by asset, what of it is available, and the account as a whole.
import * as v from 'valibot';
import { isRecord } from './map.js';
import { decimalText, mapOf, optionalDecimal, optionalNumber, record, text, type RecordOf } from './tolerant.js';

/** The collateral balance by asset, each in the asset: `{ USDT: "1000.5" }`. */
export interface CollateralBalance extends Record<string, string> {}

export const collateralBalanceSchema: v.GenericSchema<unknown, CollateralBalance> = mapOf(decimalText);

const collateralAssetFields = {
  /** The asset. */
  asset: text,
  /** The balance, in the asset. */
  balance: optionalDecimal,
  /** What the exchange has lent to you, in the asset. */
  borrow: optionalDecimal,
  /** Amount that is available without a loan, in the asset. */
  availableWithoutBorrow: optionalDecimal,
  /** Amount that is available with what the exchange would lend, in the asset. */
  availableWithBorrow: optionalDecimal,
};

/** The collateral balance of one asset, and what of it is available. Unknown fields are kept. */
export interface CollateralAsset extends RecordOf<typeof collateralAssetFields> {}

export const collateralAssetSchema: v.GenericSchema<unknown, CollateralAsset> = record(collateralAssetFields);

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
  mapOf<CollateralAsset>(record(collateralAssetFields, resultNames)),
);

/** The names of the fields in pushes of the live connection: `B` is the balance, `b` the loan. */
const pushNames = {
  asset: 'a',
  balance: 'B',
  borrow: 'b',
  availableWithoutBorrow: 'av',
  availableWithBorrow: 'ab',
} as const;

export const pushedCollateralAssetSchema: v.GenericSchema<unknown, CollateralAsset> = record(
  collateralAssetFields,
  pushNames,
);

const collateralSummaryFields = {
  /** Value of the account, USDT. It includes what the exchange has lent. */
  equity: decimalText,
  /** Margin in use, USDT. */
  margin: optionalDecimal,
  /** Margin that is free, USDT. */
  freeMargin: optionalDecimal,
  /** Funding that is not charged yet, USDT. */
  unrealizedFunding: optionalDecimal,
  /** Profit, negative for a loss, USDT. The exchange does not say whether it is realized. */
  pnl: optionalDecimal,
  /** Leverage of the account. */
  leverage: optionalNumber,
  /**
   * As the exchange sends it: its documents and its responses disagree about the formula, and an account without
   * positions may have a number of 22 digits. Do not compute with it.
   */
  marginFraction: optionalDecimal,
  /** As the exchange sends it. Not published, but seen. */
  maintenanceMarginFraction: optionalDecimal,
  /** Equity of the futures, as the exchange sends it. Not published, but seen. */
  futuresEquity: optionalDecimal,
  /** Free margin of the futures, as the exchange sends it. Not published, but seen. */
  futuresFreeMargin: optionalDecimal,
};

/** The collateral account as a whole. Unknown fields are kept. */
export interface CollateralSummary extends RecordOf<typeof collateralSummaryFields> {}

export const collateralSummarySchema: v.GenericSchema<unknown, CollateralSummary> = record(collateralSummaryFields);
