// Parses JSON from an untrusted source. Bounds depth and number of parts, rejects keys that change an object's
// prototype, and keeps the digits of numbers that a double rounds. One scan before parsing bounds the time of any text.
import { isHeldByDouble, isPlainlyHeld } from '../model/decimal.js';

/** The exchange's responses have at most 4 levels; deep values overflow the stack of code that copies them. */
const maxDepth = 64;
/**
 * Maximum names and values of a response: an item of a list counts one, a field of an object two. The cost of parsing
 * and checking grows with their number, not with the bytes: 80,000 of any kind take at most 200 ms. The largest valid
 * responses of the built-in endpoints:
 * - 1,000 markets of 20 fields: 41,000;
 * - 500 orders of the history with 24 fields each: 25,000;
 * - balances of 2,000 assets: 8,000;
 * - 100 conditional orders with three orders each: 16,000;
 * - 1,000 assets of three networks: 107,000, which have a maximum of their own, as the fees of assets have.
 */
const defaultMaxParts = 80_000;

/** Extra for a number whose digits are compared with its double's. The exchange's lists have none: money is strings. */
const comparisonParts = 15;

/** Keys that change what an object inherits, or seem to, when they are assigned to it. */
const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const prototypeKeyInText = /"(?:__proto__|constructor|prototype)"\s*:/;
/** An escaped letter or underscore: the key may be one of these in disguise. */
const escapedLetter = /\\u00[4-7]/;

/** A parsed value, or a problem that completes the sentence "the body …". */
export type Json = { readonly value: unknown } | { readonly problem: string };

/** Parses a text. A number that a double cannot hold becomes the string of its digits; the last duplicate key wins. */
export function readJson(text: string, maxParts = defaultMaxParts): Json {
  const { parts, depth, inexact } = scan(text, maxParts);
  if (parts > maxParts) return { problem: `has more than ${maxParts} names and values` };
  if (depth > maxDepth) return { problem: `is nested deeper than ${maxDepth} levels` };
  try {
    const rounded: unknown = JSON.parse(text);
    // The text is valid JSON here, so a string is valid in the place of each number.
    const value: unknown = inexact.length === 0 ? rounded : JSON.parse(quoteNumbers(text, inexact));
    const key = mayHavePrototypeKey(text) ? findPrototypeKey(value) : undefined;
    return key === undefined ? { value } : { problem: `has the key "${key}"` };
  } catch {
    return { problem: 'is not JSON' };
  }
}

function mayHavePrototypeKey(text: string): boolean {
  // Most texts have no escape, and a search for a text takes a third of the time.
  return prototypeKeyInText.test(text) || (text.includes('\\u00') && escapedLetter.test(text));
}

/** The first prototype key. The recursion is bounded by `maxDepth`. */
function findPrototypeKey(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const key = Object.keys(value).find((name) => prototypeKeys.has(name));
  if (key !== undefined) return key;
  for (const inner of Object.values(value)) {
    const innerKey = findPrototypeKey(inner);
    if (innerKey !== undefined) return innerKey;
  }
  return undefined;
}

/** The range of a number in a text; `end` is exclusive. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** What a text has outside of its strings. For a text that is not JSON, the counts are never too low. */
interface Scan {
  readonly parts: number;
  readonly depth: number;
  /** The numbers that a double rounds. */
  readonly inexact: readonly Range[];
}

function scan(text: string, maxParts: number): Scan {
  const inexact: Range[] = [];
  let parts = 1;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length && parts <= maxParts && deepest <= maxDepth; at += 1) {
    const character = text.charAt(at);
    if (character === '"') at = endOfString(text, at);
    else if (character === ',' || character === ':') parts += 1;
    else if (character === '[' || character === '{') {
      parts += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (character === ']' || character === '}') depth -= 1;
    else if (character === '-' || (character >= '0' && character <= '9')) {
      let end = at + 1;
      while (isOfNumber[text.charCodeAt(end)] === 1) end += 1;
      const number = text.slice(at, end);
      if (mayBeInexact.test(number) && !isPlainlyHeld(number)) {
        parts += comparisonParts;
        if (!isHeldByDouble(number)) inexact.push({ start: at, end });
      }
      at = end - 1;
    }
  }
  return { parts, depth: deepest, inexact };
}

/** The index of the closing quote of a string; the text's length when the string is unterminated. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let unescaped = end - 1;
    while (text[unescaped] === '\\') unescaped -= 1;
    if ((end - unescaped) % 2 === 1) return end;
  }
  return text.length;
}

/** By code: 1 for the characters that may belong to a number. */
const isOfNumber = Uint8Array.from({ length: 128 }, (_, code) =>
  Number('+-.0123456789Ee'.includes(String.fromCharCode(code))),
);

/** A double holds any 15 digits exactly: only a long number, or one with an exponent, can exceed it. */
const mayBeInexact = /^.{16}|e/i;

function quoteNumbers(text: string, numbers: readonly Range[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of numbers) {
    pieces.push(text.slice(done, start), '"', text.slice(start, end), '"');
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}
