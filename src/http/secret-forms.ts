// The encodings in which a text may hold a secret: plain, escaped, wrapped, Base64, hex, decimal bytes. Secrets and
// texts are reduced to lower-case letters and digits. The search is linear in the text, for any number of secrets.

/** Shorter texts are not treated as secrets, because they appear anywhere by chance. */
export const minSecretLength = 8;
/**
 * Characters of a random secret that identify it: no other text has them by chance, and a secret that was cut is found
 * by them.
 */
const randomFormLength = 16;
/** A secret that may consist of words needs more characters. */
const wordsFormLength = 32;
/** Bytes at either end of a long secret that identify it in any encoding. */
const pieceBytes = 24;

/** The forms to search for: both ends of a random secret, the end of a secret that may consist of words. */
export function formsOf(secret: string, isRandom: boolean): string[] {
  if (secret.length < minSecretLength) return [];
  const bytes = Buffer.from(secret);
  const pieces = bytes.length > 2 * pieceBytes ? [bytes.subarray(0, pieceBytes), bytes.subarray(-pieceBytes)] : [bytes];
  const plain = readingsOf(secret).flatMap((reading) => {
    const form = lettersAndDigits(reading);
    return isRandom ? [form.slice(0, randomFormLength), form.slice(-randomFormLength)] : [form.slice(-wordsFormLength)];
  });
  return [...plain, ...pieces.flatMap(encodingsOf)].filter((form) => form.length >= minSecretLength);
}

/** A piece in Base64 at any offset (base64url has the same letters and digits), in hex, and as decimal bytes. */
function encodingsOf(piece: Buffer): string[] {
  const base64Forms = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), piece]).toString('base64');
    // The characters at both ends also encode neighboring bytes.
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + piece.length) * 8) / 6));
  });
  return [...base64Forms, piece.toString('hex'), piece.join('')].map((form) =>
    lettersAndDigits(form).slice(0, randomFormLength),
  );
}

/** Maximum levels of escaping. */
const maxEscapeLevels = 4;

/**
 * A text as it is, and with each level of escapes decoded. `0x41` may be a byte, or a part of a secret that was wrapped
 * before it, so a text that has such is read in both ways.
 */
export function readingsOf(text: string): string[] {
  const readings = levelsOf(text, decodeEscape);
  return bytesInHex.test(text) ? [...readings, ...levelsOf(text, decodeAllButBytes).slice(1)] : readings;
}

function levelsOf(text: string, decode: typeof decodeEscape): string[] {
  const readings = [text];
  for (let last = text; readings.length <= maxEscapeLevels;) {
    const next = last.replace(escapedPercent, '%').replace(escapedAmpersand, '&').replace(escapes, decode);
    if (next === last) break;
    readings.push(next);
    last = next;
  }
  return readings;
}

/** An escaped escape character. Every repetition is bounded, so the time is linear in the text. */
const escapedPercent = /%(?:25){1,16}(?=[\da-f]{2})/gi;
const escapedAmpersand = /&(?:amp;){1,16}/gi;

/** Escapes of URLs, HTML, XML, JSON and JavaScript, and bytes in hex. */
const escapes =
  /((?:%[\da-f]{2}){1,64})|&#x0{0,16}([\da-f]{1,6});?|&#0{0,16}(\d{1,7});?|&[a-z]{2,16};|\\u([\da-f]{4})|\\u\{0{0,16}([\da-f]{1,6})\}|\\x([\da-f]{2})|\b0x([\da-f]{2})\b|\\[bfnrtv]/gi;
const bytesInHex = /0x[\da-f]{2}/i;

function decodeEscape(
  _all: string,
  percents?: string,
  hex?: string,
  digits?: string,
  u4?: string,
  braced?: string,
  x2?: string,
  byte?: string,
): string {
  if (percents !== undefined) return Buffer.from(percents.replaceAll('%', ''), 'hex').toString();
  if (digits !== undefined) return characterOf(Number(digits));
  const code = hex ?? u4 ?? braced ?? x2 ?? byte;
  // A line break, or a named entity, which is never a letter or digit.
  return code === undefined ? '' : characterOf(Number.parseInt(code, 16));
}

const decodeAllButBytes: typeof decodeEscape = (all, ...codes) =>
  codes[6] === undefined ? decodeEscape(all, ...codes) : all;

const lastCodePoint = 0x10_ff_ff;

function characterOf(code: number): string {
  return code <= lastCodePoint ? String.fromCodePoint(code) : '';
}

/** The code of each ASCII letter in lower case and of each digit; 0 for every other character. */
const keptCodes = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  return /[\da-z]/.test(character) ? character.charCodeAt(0) : 0;
});

/** The ASCII letters and digits of a text in lower case, which wrapping, grouping and quoting do not change. */
export function lettersAndDigits(text: string): string {
  const kept = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = keptCodes[text.charCodeAt(index)] ?? 0;
    if (code === 0) continue;
    kept[length] = code;
    length += 1;
  }
  return kept.toString('latin1', 0, length);
}

const multiplier = 0x01_00_01_93;
/** The weight of the character that leaves the window of the rolling hash. */
const leavingWeight = Array.from({ length: minSecretLength }).reduce<number>(
  (power) => Math.imul(power, multiplier),
  1,
);
const filterSize = 2 ** 14;

/** An index of secret forms. One pass over a text finds them: by a rolling hash of eight characters, then in full. */
export class SecretIndex {
  readonly #forms = new Set<string>();
  /** Lengths of the forms by the hash of their first characters. */
  readonly #lengths = new Map<number, Set<number>>();
  readonly #filter = new Uint8Array(filterSize);

  add(forms: readonly string[]): void {
    for (const form of forms) {
      if (this.#forms.has(form)) continue;
      this.#forms.add(form);
      const hash = hashOf(form);
      this.#filter[hash & (filterSize - 1)] = 1;
      const lengths = this.#lengths.get(hash) ?? new Set();
      this.#lengths.set(hash, lengths.add(form.length));
    }
  }

  /** Whether the text, reduced by {@link lettersAndDigits}, contains a form. */
  matches(text: string): boolean {
    if (this.#forms.size === 0) return false;
    let hash = 0;
    for (let end = 0; end < text.length; end += 1) {
      const left = end < minSecretLength ? 0 : text.charCodeAt(end - minSecretLength);
      hash = (Math.imul(hash, multiplier) + text.charCodeAt(end) - Math.imul(left, leavingWeight)) | 0;
      if (this.#filter[hash & (filterSize - 1)] === 1 && this.#beginsAt(text, end + 1 - minSecretLength, hash))
        return true;
    }
    return false;
  }

  #beginsAt(text: string, start: number, hash: number): boolean {
    for (const length of this.#lengths.get(hash) ?? []) {
      if (start >= 0 && this.#forms.has(text.slice(start, start + length))) return true;
    }
    return false;
  }
}

function hashOf(form: string): number {
  let hash = 0;
  for (let index = 0; index < minSecretLength; index += 1)
    hash = (Math.imul(hash, multiplier) + form.charCodeAt(index)) | 0;
  return hash;
}
