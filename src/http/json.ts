// JSON as it may come from anyone, made into what a program can hold without harm: not too deep, no key that changes an object's
// prototype, no number that was rounded on the way. What an honest exchange sends passes with three quick looks at the text.

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
    const value = JSON.parse(withExactNumbers(text)) as unknown;
    if (!isWithin(value, deepest)) return { problem: `is nested deeper than ${deepest} levels` };
    const key = keyThatIsNotData(text);
    return key === undefined ? { value } : { problem: `has the key "${key}"` };
  } catch {
    return { problem: `is not JSON (${text.length} characters)` };
  }
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && !isWithin(inner, levels - 1)) return false;
  }
  return true;
}

function keyThatIsNotData(text: string): string | undefined {
  if (!notDataAsKey.test(text) && !escapedLetter.test(text)) return undefined;
  let found: string | undefined;
  JSON.parse(text, (key, value: unknown) => {
    if (notData.has(key)) found ??= key;
    return value;
  });
  return found;
}

/** A number that is long, or has an exponent: no other can be more than a double holds. It may be a part of a string. */
const longNumber = /[[:,\s]-?(?:\d[\d.]{15,}|\d[\d.]{0,14}[eE])[\d.eE+-]*/g;
const isNumberAlone = /^-?\d/;
const numberToken = /-?\d[\d.eE+-]*/y;

/** The text with every number that a double does not hold in quotation marks. */
function withExactNumbers(text: string): string {
  if (isNumberAlone.test(text)) return quoteNumbers(text);
  longNumber.lastIndex = 0;
  for (let match = longNumber.exec(text); match !== null; match = longNumber.exec(text)) {
    if (!isHeld(match[0].slice(1))) return quoteNumbers(text);
  }
  return text;
}

function quoteNumbers(text: string): string {
  const parts: string[] = [];
  let taken = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) at = endOfString(text, at);
    // 0 to 9, and the sign
    if (!(character >= 0x30 && character <= 0x39) && character !== 0x2d) continue;
    numberToken.lastIndex = at;
    const token = numberToken.exec(text)?.[0];
    if (token === undefined) continue;
    if (!isHeld(token)) {
      // What is no number by JSON's rules is left for the parser to refuse.
      if (!isJsonNumber.test(token)) return text;
      parts.push(text.slice(taken, at), '"', token, '"');
      taken = at + token.length;
    }
    at += token.length - 1;
  }
  parts.push(text.slice(taken));
  return parts.join('');
}

/** Where the string ends that begins at this quotation mark. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 0x5c) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

const isJsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** No double is written with more characters that mean something. */
const longestHeld = 100;

/** Whether the double nearest to a number, written with as many digits, is that number again. */
function isHeld(token: string): boolean {
  const value = Number(token);
  if (String(value) === token) return true;
  if (!Number.isFinite(value) || token.length > longestHeld) return false;
  const written = significant(token);
  const held = significant(value.toPrecision(Math.max(written.digits.length, 1)));
  return held.digits === written.digits && held.exponent === written.exponent;
}

/** A number as `0.digits` times ten to the exponent, without zeros at either end. */
function significant(token: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', power = '0'] = token.replace(/^-/, '').split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const zeros = whole.length + fraction.length - digits.length;
  const trimmed = digits.replace(/0+$/, '');
  return { digits: trimmed, exponent: trimmed === '' ? 0 : whole.length - zeros + Number(power) };
}
