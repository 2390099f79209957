// JSON as it may come from anyone, made into what a program can hold without harm: not too deep, no key that changes an object's
// prototype, no number that was rounded on the way. What an honest exchange sends passes with three quick looks at the text.
import { parse, type ParseOptions } from 'lossless-json';
import { decimal } from '../model/decimal.js';

/** The deepest that an answer may be nested. The exchange's own go to 4; a deeper value would overflow the stack of what writes or copies it. */
const deepest = 64;

/** Keys that are not data to a program: assigned to an object, they change what it inherits, or look as if they did. */
const notData: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const notDataAsKey = /"(?:__proto__|constructor|prototype)"\s*:/;
/** Letters and underscores, escaped: such a key could be one of them. */
const escapedLetter = /\\u00[4-7]/;

/** What a text is as JSON, or what it is instead: the end of a sentence about it. */
export type Json = { readonly value: unknown } | { readonly problem: string };

/** Reads a text. A number that cannot be held exactly becomes the string of its digits; of a key that comes twice the last counts. */
export function readJson(text: string): Json {
  try {
    // JSON.parse() is many times as fast, and would round.
    const value: unknown = hasInexactNumber(text) ? parse(text, undefined, exactly) : JSON.parse(text);
    const problem = problemOf(value, deepest, notDataAsKey.test(text) || escapedLetter.test(text));
    return problem === undefined ? { value } : { problem };
  } catch {
    return { problem: `is not JSON (${text.length} characters)` };
  }
}

/** What is wrong with a value: its depth, or, where the text gives reason to look, its keys. */
function problemOf(value: unknown, levels: number, isSuspicious: boolean): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return `is nested deeper than ${deepest} levels`;
  const key = isSuspicious ? Object.keys(value).find((one) => notData.has(one)) : undefined;
  if (key !== undefined) return `has the key "${key}"`;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    const problem = problemOf(inner, levels - 1, isSuspicious);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A number that is long, or has an exponent: no other can be more than a double holds. It may be a part of a string. */
const longNumber = /(?:^|[[:,\s])(-?(?:\d[\d.]{15,}|\d[\d.]{0,14}[eE])[\d.eE+-]*)/g;

function hasInexactNumber(text: string): boolean {
  for (const [, token = ''] of text.matchAll(longNumber)) {
    if (!isHeld(token)) return true;
  }
  return false;
}

const exactly: ParseOptions = {
  parseNumber: (token) => (isHeld(token) ? Number(token) : token),
  onDuplicateKey: ({ newValue }) => newValue,
};

/** So many digits a double holds, whatever they are, if its exponent is far from the ends. */
const plainlyHeld = /^-?(?:\d\.?){1,15}(?:[eE][+-]?\d{1,2})?$/;
/** No double is written with more characters that mean something. */
const longestHeld = 100;

/** Whether the double nearest to a number, written with as many digits, is that number again. */
function isHeld(token: string): boolean {
  const value = Number(token);
  if (plainlyHeld.test(token) || String(value) === token) return true;
  if (!Number.isFinite(value) || token.length > longestHeld) return false;
  const written = decimal(token);
  return decimal(value.toPrecision(written.precision())).eq(written);
}
