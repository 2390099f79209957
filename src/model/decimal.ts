// Decimals: how amounts, prices and balances are read, written and computed.
// Money crosses this package as decimal strings and is never a binary float: JavaScript's `0.1 + 0.2` is not money.
import { BigNumber } from 'bignumber.js';
import * as v from 'valibot';

/** A copy of the library: the settings of the user's program must not change how money is computed here. */
const Exact = BigNumber.clone({ DECIMAL_PLACES: 40, EXPONENTIAL_AT: 1e9, RANGE: 1e9 });

/** An exact decimal number; a value of the library bignumber.js. */
export type Decimal = BigNumber;

/** Reads a decimal string (or a finite number) as an exact decimal. */
export function decimal(value: string | number | Decimal): Decimal {
  return new Exact(value);
}

export function isDecimal(value: unknown): value is Decimal {
  return BigNumber.isBigNumber(value);
}

/** `undefined` when it is neither a decimal string (an exponent is fine) nor a finite number. */
export function readDecimal(value: string | number): Decimal | undefined {
  const isReadable = typeof value === 'number' ? Number.isFinite(value) : decimalPattern.test(value);
  return isReadable ? new Exact(value) : undefined;
}

export const decimalRule = 'must be a decimal string such as "0.001", or a finite number';

/** Writes an exact decimal as the exchange does: no exponent, no trailing zeros, `"0"` for zero of either sign. */
export function formatDecimal(value: Decimal): string {
  return value.isZero() ? '0' : value.toFixed();
}

/** Writes a finite number as {@link formatDecimal} does. */
export function writtenNumber(value: number): string {
  const text = String(value);
  // JavaScript writes an exponent from 1e21 on, and below 1e-6.
  return text.includes('e') ? formatDecimal(decimal(text)) : text;
}

/** Without the decimal places after these. */
export function cutDecimal(value: Decimal, places: number): Decimal {
  return value.decimalPlaces(places, Exact.ROUND_DOWN);
}

/** The smallest step of a quantity with this many decimal places: 10^-places. */
export function decimalStep(places: number): Decimal {
  return new Exact(1).shiftedBy(-places);
}

/** A double represents any number of this many digits exactly enough to restore them, unless its exponent is extreme. */
const plainlyHeld = /^-?(?:\d\.?){1,15}(?:[eE][+-]?\d{1,2})?$/;
/** Maximum number of significant characters of a double in its shortest form. */
const maxHeldLength = 100;

/** A fast check: the number has few digits, or is written as JavaScript writes its double. */
export function isPlainlyHeld(number: string): boolean {
  return number.length <= maxHeldLength && (plainlyHeld.test(number) || String(Number(number)) === number);
}

/** Whether the nearest double, written with the same number of digits, is the same number. */
export function isHeldByDouble(number: string): boolean {
  const value = Number(number);
  if (number.length > maxHeldLength || !Number.isFinite(value)) return false;
  // A number may be too small for the library, too.
  if (value === 0) return /^-?[0.]*(?:e|$)/i.test(number);
  const exact = decimal(number);
  return exact.isEqualTo(value.toPrecision(exact.precision()));
}

/** The double whose shortest form is this decimal string; `undefined` without one, or for an invalid string. */
export function doubleOf(text: string): number | undefined {
  const double = Number(text);
  return decimalPattern.test(text) && decimal(text).isEqualTo(double) ? double : undefined;
}

/** A count of decimal places: an integer, in a string on the wire. A negative one counts the zeros at the end. */
export const decimalPlaces = /^-?\d{1,2}$/;

const plainDecimal = /^\d+(\.\d+)?$/;
/** A decimal string; an exponent is fine. Bounded, because a text such as `1e999999999` is short, but computing with it exhausts the memory. */
export const decimalPattern = /^-?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,2})?$/;

/** A plain decimal string of a number above 0. */
const aboveZero = /^[^-]*[1-9]/;

export function isAboveZero(text: string): boolean {
  return new Exact(text).isGreaterThan(0);
}

/** A double keeps this many digits: a number with more was computed with binary fractions, or rounded. */
const maxSignificantDigits = 15;

/**
 * What a caller may write for an amount or a price: a decimal string (`"0.001"`), or a finite number of at most 15
 * significant digits. It is sent as a decimal string; a number is written without an exponent (`1e-7` becomes
 * `"0.0000001"`).
 */
export const decimalInputSchema = v.pipe(
  v.custom<string | number>(isDecimalInput, decimalRule),
  v.check(
    (value) => typeof value === 'string' || decimal(value).precision() <= maxSignificantDigits,
    `must have at most ${maxSignificantDigits} significant digits: pass a decimal string, or round with roundAmount or roundPrice`,
  ),
  v.transform((value) => (typeof value === 'number' ? formatDecimal(decimal(value)) : value)),
  v.regex(aboveZero, 'must be greater than 0'),
);

function isDecimalInput(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && plainDecimal.test(value);
}
