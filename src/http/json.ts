// JSON as it may come from anyone, made into what a program can hold without harm: not too deep, not of too many parts,
// no key that changes an object's prototype, no number that was rounded on the way. A text is scanned once before it is
// parsed, so that no text takes long.
import { isHeldByDouble, isPlainlyHeld } from '../model/decimal.js';

/**
 * The deepest that a response may be nested. The exchange's own go to 4; a deeper value would overflow the stack of
 * what writes or copies it.
 */
const maxDepth = 64;
/**
 * How many names and values a response may have: an item of a list counts as one, a field of an object as two. What
 * parsing and checking costs grows with them, and not with the bytes: as many take at most 200 ms, whatever they are.
 * The longest honest responses of the endpoints that are built in:
 * - 1,000 markets of 20 fields have 41,000;
 * - 500 orders of the history with 24 fields each have 25,000;
 * - the balances of 2,000 assets have 8,000;
 * - 100 conditional orders with three orders each have 16,000.
 */
const defaultMaxParts = 80_000;

/**
 * A number whose digits must be compared with those of its double counts as so many more. No list of the exchange has
 * any: its money is strings.
 */
const partsOfComparison = 10;

/** Keys that are not data to a program: assigned to an object, they change what it inherits, or look as if they did. */
const notData: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const notDataAsKey = /"(?:__proto__|constructor|prototype)"\s*:/;
/** Letters and underscores, escaped: such a key could be one of them. */
const escapedLetter = /\\u00[4-7]/;

/** What a text is as JSON, or what it is instead: the end of a sentence about it. */
export type Json = { readonly value: unknown } | { readonly problem: string };

/**
 * Reads a text. A number that cannot be held exactly becomes the string of its digits; of a key that comes twice the
 * last counts.
 */
export function readJson(text: string, maxParts = defaultMaxParts): Json {
  const { parts, depth, inexact } = scan(text, maxParts);
  // NaN from an endpoint of the user's own bounds, too.
  if (!(parts <= maxParts)) return { problem: `has more than ${maxParts} names and values` };
  if (depth > maxDepth) return { problem: `is nested deeper than ${maxDepth} levels` };
  try {
    const rounded: unknown = JSON.parse(text);
    // By now it is known to be JSON, so that each of the numbers stands where a string may stand.
    const value: unknown = inexact.length === 0 ? rounded : JSON.parse(quoted(text, inexact));
    const key = notDataAsKey.test(text) || escapedLetter.test(text) ? keyNotData(value) : undefined;
    return key === undefined ? { value } : { problem: `has the key "${key}"` };
  } catch {
    return { problem: `is not JSON (${text.length} characters)` };
  }
}

/** The first key that is not data, in a value that is not deep. */
function keyNotData(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const key = Object.keys(value).find((one) => notData.has(one));
  if (key !== undefined) return key;
  for (const inner of Object.values(value)) {
    const innerKey = keyNotData(inner);
    if (innerKey !== undefined) return innerKey;
  }
  return undefined;
}

/** Where a number stands in a text: from its first character to the one behind it. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** What a text holds outside of its strings. Of a text that is not JSON it says no less than that. */
interface Scan {
  readonly parts: number;
  readonly depth: number;
  /** The numbers that a double does not hold. */
  readonly inexact: readonly Place[];
}

const code = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  e: 0x65,
  backslash: 0x5c,
} as const;
const open = { bracket: 0x5b, brace: 0x7b } as const;
const close = { bracket: 0x5d, brace: 0x7d } as const;

function scan(text: string, maxParts: number): Scan {
  const inexact: Place[] = [];
  let parts = 1;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length && parts <= maxParts && deepest <= maxDepth; at += 1) {
    const character = text.charCodeAt(at);
    if (character === code.quote) at = endOfString(text, at);
    else if (character === code.comma || character === code.colon) parts += 1;
    else if (character === open.bracket || character === open.brace) {
      parts += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (character === close.bracket || character === close.brace) depth -= 1;
    else if (character === code.minus || isDigit(character)) {
      const end = endOfNumber(text, at);
      const number = mayBeInexact(text, at, end) ? text.slice(at, end) : undefined;
      if (number !== undefined && !isPlainlyHeld(number)) {
        parts += partsOfComparison;
        if (!isHeldByDouble(number)) inexact.push({ start: at, end });
      }
      at = end - 1;
    }
  }
  return { parts, depth: deepest, inexact };
}

/** The place of the quote that ends the string that begins here; behind the text when nothing ends it. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === code.quote) return at;
    if (character === code.backslash) at += 1;
  }
  return text.length;
}

/** The place behind all that a number may be made of. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

function isDigit(character: number): boolean {
  return character >= code.zero && character <= code.nine;
}

/** Digits, `.`, `-`, `+`, `e` and `E`. */
function isOfNumber(character: number): boolean {
  return (
    isDigit(character) ||
    character === code.dot ||
    character === code.minus ||
    character === 0x2b ||
    character === code.e ||
    character === 0x45
  );
}

/** A double holds as many digits, whatever they are. */
const heldDigits = 15;

/** Whether a number is long, or has an exponent: no other can be more than a double holds. */
function mayBeInexact(text: string, start: number, end: number): boolean {
  if (end - start > heldDigits) return true;
  for (let at = start; at < end; at += 1) {
    // An e of either case.
    if ((text.charCodeAt(at) | 0x20) === code.e) return true;
  }
  return false;
}

/** A text with quotes around some of its numbers. */
function quoted(text: string, numbers: readonly Place[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of numbers) {
    pieces.push(text.slice(done, start), '"', text.slice(start, end), '"');
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}
