// Decimals: how amounts, prices and balances are read, written and computed.
// Money crosses this package as decimal strings and is never a binary float: JavaScript's `0.1 + 0.2` is not money.
import { BigNumber } from 'bignumber.js';
import * as v from 'valibot';

/** An own copy of the library: a setting that the user's program makes on theirs must not change how money is computed here. */
const Exact = BigNumber.clone({ DECIMAL_PLACES: 40, EXPONENTIAL_AT: 1e9, RANGE: 1e9 });

/** An exact decimal number; a value of the library bignumber.js. */
export type Decimal = BigNumber;

/** Reads a decimal string (or a finite number) as an exact decimal. */
export function decimal(value: string | number | Decimal): Decimal {
  return new Exact(value);
}

/** Reads what may be a decimal: `undefined` when it is neither a decimal string (an exponent is fine) nor a finite number. */
export function readDecimal(value: string | number): Decimal | undefined {
  const isDecimal = typeof value === 'number' ? Number.isFinite(value) : anyDecimal.test(value);
  return isDecimal ? new Exact(value) : undefined;
}

/** What is wrong with a value that is no decimal. */
export const decimalRule = 'must be a decimal string such as "0.001", or a finite number';

/** Writes an exact decimal as the exchange does: no exponent, no trailing zeros, `"0"` for zero of either sign. */
export function formatDecimal(value: Decimal): string {
  return value.isZero() ? '0' : value.toFixed();
}

/** The smallest step of a quantity with this many decimal places: 10^-places. */
export function decimalStep(places: number): Decimal {
  return new Exact(1).shiftedBy(-places);
}

/** A count of decimal places: an integer, in a string on the wire. A negative one counts the zeros at the end. */
export const decimalPlaces = /^-?\d{1,2}$/;

const plainDecimal = /^\d+(\.\d+)?$/;
/** Bounded, since a text such as `1e999999999` is short, and computing with it takes all memory there is. */
const anyDecimal = /^-?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,2})?$/;

/** A double holds as many digits, whatever they are; what has more was computed with binary fractions, or rounded when it was written. */
const maxSignificantDigits = 15;

/**
 * What a caller may write for an amount or a price: a decimal string (`"0.001"`), or a finite number of at most 15 significant digits. It is sent
 * as a decimal string; a number is written without an exponent (`1e-7` becomes `"0.0000001"`).
 */
export const decimalInputSchema = v.pipe(
  v.custom<string | number>(isDecimalInput, decimalRule),
  v.check(
    (value) => typeof value === 'string' || decimal(value).precision() <= maxSignificantDigits,
    `must have at most ${maxSignificantDigits} significant digits: pass a decimal string, or round with roundAmount or roundPrice`,
  ),
  v.transform((value) => (typeof value === 'number' ? formatDecimal(decimal(value)) : value)),
  v.check((value) => decimal(value).isGreaterThan(0), 'must be greater than 0'),
);

/** A decimal string as the exchange answers it; kept as the string it was. */
export const decimalStringSchema = v.pipe(v.string(), v.regex(anyDecimal, 'is not a decimal string'));

function isDecimalInput(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && plainDecimal.test(value);
}
