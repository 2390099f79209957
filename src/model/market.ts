// A market and its constraints, as `GET /api/v4/public/markets` answers them.
import * as v from 'valibot';
import { decimalStringSchema } from './decimal.js';
import { openEnum } from './open-enum.js';

/** Spec, Resources: a pair, `BASE_QUOTE`. */
export const marketNamePattern = /^[A-Za-z0-9-]+_[A-Za-z0-9-]+$/;

/** A count of decimal places: an integer, in a string on the wire. */
const placesSchema = v.pipe(v.string(), v.regex(/^\d{1,2}$/, 'is not a count of decimal places'));

export const marketSchema = v.looseObject({
  /** The pair, `BASE_QUOTE`. */
  name: v.string(),
  /** The base currency. */
  stock: v.string(),
  /** The quote currency. */
  money: v.string(),
  /** The most decimal places an amount may have: the amount step is 10^-stockPrec. */
  stockPrec: placesSchema,
  /** The most decimal places a price may have: the price step is 10^-moneyPrec. */
  moneyPrec: placesSchema,
  /** Decimal places of fees. */
  feePrec: v.optional(v.string()),
  /** Maker fee in per cent. */
  makerFee: v.optional(v.string()),
  /** Taker fee in per cent. */
  takerFee: v.optional(v.string()),
  /** The least amount of an order, in the base currency. */
  minAmount: decimalStringSchema,
  /** The least total (amount times price) of an order, in the quote currency. */
  minTotal: decimalStringSchema,
  /** The greatest total of an order, in the quote currency; `"0"` is no bound. */
  maxTotal: decimalStringSchema,
  /** The greatest leverage of the market, where the exchange gives it. */
  max_leverage: v.optional(v.union([v.number(), v.string()])),
  /** Whether orders are accepted now. */
  tradesEnabled: v.optional(v.boolean()),
  /** Whether the market trades on collateral. */
  isCollateral: v.optional(v.boolean()),
  /** `spot`, `futures` or `tradfiFutures`. */
  type: v.optional(openEnum(['spot', 'futures', 'tradfiFutures'])),
  /** When the market was or will be delisted, Unix seconds. */
  delistedAt: v.optional(v.nullable(v.number())),
});

/** A market and its constraints. Fields that are not known are kept. */
export interface Market extends v.InferOutput<typeof marketSchema> {}
