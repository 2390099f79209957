// Compares the decimal strings of a book: as doubles, and exactly where those are equal.
import { decimal } from '../../model/decimal.js';

/** The sign of the difference of two decimal strings. Doubles never put two decimals in the wrong order. */
export function compareDecimals(one: string, other: string): number {
  return one === other ? 0 : nearestDouble(one) - nearestDouble(other) || compareExactly(one, other);
}

/** Compares decimals that are the same double: `60000.1` and `60000.10`, or two of 20 digits. */
export function compareExactly(one: string, other: string): number {
  return one === other ? 0 : (decimal(one).comparedTo(decimal(other)) ?? 0);
}

/** Up to this length the digits are an exact double, and so is the power of ten: their quotient is rounded once. */
const maxExactLength = 15;

/** As `Number`, in a fifth of the time for the short decimals of a book, which is searched for every change. */
export function nearestDouble(text: string): number {
  if (text.length > maxExactLength) return Number(text);
  let digits = 0;
  let divisor = 0;
  for (let index = 0; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - zero;
    if (digit >= 0 && digit <= 9) {
      digits = 10 * digits + digit;
      divisor *= 10;
    } else if (digit === point && divisor === 0) divisor = 1;
    else return Number(text);
  }
  return divisor > 1 ? digits / divisor : digits;
}

const zero = 48;
/** The code of `.`, counted from that of `0`. */
const point = -2;
