// A market and its trading rules, as `GET /api/v4/public/markets` sends them.
import * as v from 'valibot';
import { decimalPlaces, readDecimal } from './decimal.js';
import * as t from './tolerant.js';

/** Spec, Resources: a pair, `BASE_QUOTE`. */
export const marketNamePattern = /^[A-Za-z0-9-]+_[A-Za-z0-9-]+$/;

const placesSchema = v.pipe(t.text, v.regex(decimalPlaces, 'is not a count of decimal places'));

const marketFields = {
  /** The pair, `BASE_QUOTE`. */
  name: t.text,
  /** The base currency. */
  stock: t.text,
  /** The quote currency. */
  money: t.text,
  /**
   * Maximum number of decimal places of an amount: the amount step is 10^-stockPrec, so `"-3"` is a step of 1000. It
   * applies where `stepSize` is empty.
   */
  stockPrec: placesSchema,
  /**
   * Maximum number of decimal places of a price: the price step is 10^-moneyPrec. It applies where `tickSize` is empty.
   */
  moneyPrec: placesSchema,
  /** Price step: prices are multiples of it. Empty or absent where `moneyPrec` applies. */
  tickSize: t.optionalText,
  /** Amount step, base currency: amounts are multiples of it. Empty or absent where `stockPrec` applies. */
  stepSize: t.optionalText,
  /** Number of decimal places of fees. */
  feePrec: t.optionalText,
  /** Maker fee, percent. */
  makerFee: t.optionalText,
  /** Taker fee, percent. */
  takerFee: t.optionalText,
  /** Minimum amount of an order, base currency. */
  minAmount: t.optionalDecimal,
  /** Minimum total (amount times price) of an order, quote currency. */
  minTotal: t.optionalDecimal,
  /** Maximum total of an order, quote currency. `"0"` means unlimited. */
  maxTotal: t.optionalDecimal,
  /** Maximum leverage of the market, where the exchange sends it. */
  max_leverage: t.optional(v.union([v.number(), v.string()])),
  /** Whether the market accepts orders. */
  tradesEnabled: t.optionalFlag,
  /** Whether the market trades on collateral. */
  isCollateral: t.optionalFlag,
  /** `spot`, `futures` or `tradfiFutures`. */
  type: t.optionalEnum(['spot', 'futures', 'tradfiFutures']),
  /** Time of delisting, past or planned, Unix seconds. Absent where no delisting is known. */
  delistedAt: t.optionalNumber,
};

/** A market and its trading rules. Unknown fields are kept. */
export interface Market extends t.RecordOf<typeof marketFields> {}

/** Where a market has a step by value but no decimal places, they are computed from the step. */
export const marketSchema: v.GenericSchema<unknown, Market> = v.pipe(
  v.unknown(),
  v.transform(withPlaces),
  t.record(marketFields),
);

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

/** `"2"` for 0.01 and 0.05, `"-3"` for 1000; `undefined` for an invalid step. */
function placesOfStep(step: unknown): string | undefined {
  const value = typeof step === 'string' || typeof step === 'number' ? readDecimal(step) : undefined;
  if (value?.isGreaterThan(0) !== true) return undefined;
  return String(value.precision() - 1 - (value.e ?? 0));
}
