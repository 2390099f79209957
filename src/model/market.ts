// A market and its constraints, as `GET /api/v4/public/markets` answers them.
import * as v from 'valibot';
import { decimalPlaces, isDecimalText, significantDigits } from './decimal.js';
import {
  optional,
  optionalDecimal,
  optionalEnum,
  optionalFlag,
  optionalNumber,
  optionalText,
  record,
  text,
} from './tolerant.js';

/** Spec, Resources: a pair, `BASE_QUOTE`. */
export const marketNamePattern = /^[A-Za-z0-9-]+_[A-Za-z0-9-]+$/;

const placesSchema = v.pipe(text, v.regex(decimalPlaces, 'is not a count of decimal places'));

const marketRecord = record({
  /** The pair, `BASE_QUOTE`. */
  name: text,
  /** The base currency. */
  stock: text,
  /** The quote currency. */
  money: text,
  /**
   * The most decimal places an amount may have: the amount step is 10^-stockPrec, 1000 for `"-3"`. Only where
   * `stepSize` does not give it.
   */
  stockPrec: placesSchema,
  /**
   * The most decimal places a price may have: the price step is 10^-moneyPrec. Only where `tickSize` does not give it.
   */
  moneyPrec: placesSchema,
  /** The price step: a price is a multiple of it. Empty or left out where the decimal places say it. */
  tickSize: optionalText,
  /**
   * The amount step: an amount in the base currency is a multiple of it. Empty or left out where the decimal places say
   * it.
   */
  stepSize: optionalText,
  /** Decimal places of fees. */
  feePrec: optionalText,
  /** Maker fee in per cent. */
  makerFee: optionalText,
  /** Taker fee in per cent. */
  takerFee: optionalText,
  /** The least amount of an order, in the base currency. */
  minAmount: optionalDecimal,
  /** The least total (amount times price) of an order, in the quote currency. */
  minTotal: optionalDecimal,
  /** The greatest total of an order, in the quote currency; `"0"` is no bound. */
  maxTotal: optionalDecimal,
  /** The greatest leverage of the market, where the exchange gives it. */
  max_leverage: optional(v.union([v.number(), v.string()])),
  /** Whether orders are accepted now. */
  tradesEnabled: optionalFlag,
  /** Whether the market trades on collateral. */
  isCollateral: optionalFlag,
  /** `spot`, `futures` or `tradfiFutures`. */
  type: optionalEnum(['spot', 'futures', 'tradfiFutures']),
  /** When the market was or will be delisted, Unix seconds; left out when it is not known to be. */
  delistedAt: optionalNumber,
});

/** A market. Where it gives a step by value and not in decimal places, the places are those of the step. */
export const marketSchema = v.pipe(v.unknown(), v.transform(withPlaces), marketRecord);

function withPlaces(market: unknown): unknown {
  if (typeof market !== 'object' || market === null || Array.isArray(market)) return market;
  const {
    stockPrec = null,
    moneyPrec = null,
    stepSize,
    tickSize,
  }: Partial<Readonly<Record<'stockPrec' | 'moneyPrec' | 'stepSize' | 'tickSize', unknown>>> = market;
  const isGiven = stockPrec !== null && moneyPrec !== null;
  if (isGiven || (stepSize === undefined && tickSize === undefined)) return market;
  return { ...market, stockPrec: stockPrec ?? placesOfStep(stepSize), moneyPrec: moneyPrec ?? placesOfStep(tickSize) };
}

/** `"2"` for 0.01 and 0.05, `"-3"` for 1000; `undefined` for what is no step. */
function placesOfStep(step: unknown): string | undefined {
  const isDecimal = typeof step === 'string' || typeof step === 'number' ? isDecimalText(String(step)) : false;
  const significant = isDecimal ? significantDigits(String(step)) : undefined;
  if (significant === undefined || significant.digits === '' || significant.isNegative) return undefined;
  return String(0 - significant.exponent);
}

/** A market and its constraints. Fields that are not known are kept. */
export interface Market extends v.InferOutput<typeof marketSchema> {}
