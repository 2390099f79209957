// The forms in which a secret may stand in a text: as it is, escaped, wrapped, encoded. Both are reduced to letters and
// digits in lower case, and searched in time that is linear in the text, however many secrets there are and whoever
// wrote the text.

/** A shorter text is no secret: it could stand anywhere. */
export const minSecretLength = 8;
/**
 * So many characters of a form are the form: a part is known where an exchange cut it, and no text has them by chance.
 */
const telling = 16;
/** What may be made of words is known by more of them. */
const tellingWords = 32;
/** So many bytes at either end of a long secret are enough to know it by, however they are encoded. */
const pieceBytes = 24;

/** A secret that is random is known by a part of it; one that may be made of words, by its end. */
export function formsOf(secret: string, isRandom: boolean): string[] {
  if (secret.length < minSecretLength) return [];
  const bytes = Buffer.from(secret);
  const pieces = bytes.length > 2 * pieceBytes ? [bytes.subarray(0, pieceBytes), bytes.subarray(-pieceBytes)] : [bytes];
  const plain = readingsOf(secret).flatMap((reading) => {
    const form = lettersAndDigits(reading);
    return isRandom ? [form.slice(0, telling), form.slice(-telling)] : [form.slice(-tellingWords)];
  });
  return [...plain, ...pieces.flatMap(encodingsOf)].filter((form) => form.length >= minSecretLength);
}

/**
 * A piece in base64 (base64url differs in what is no letter or digit), wherever it begins in what was encoded; in hex;
 * and as decimal bytes.
 */
function encodingsOf(piece: Buffer): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), piece]).toString('base64');
    // Characters at either end are of the bytes beside it, too.
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + piece.length) * 8) / 6));
  });
  return [...inBase64, piece.toString('hex'), piece.join('')].map((form) => lettersAndDigits(form).slice(0, telling));
}

/** How often a text may be escaped over again. */
const maxEscapings = 4;

/** A text as it is, and with its escapes read, as often as it was escaped. */
export function readingsOf(text: string): string[] {
  const readings = [text];
  for (let last = text; readings.length <= maxEscapings;) {
    const next = last.replace(escapedPercent, '%').replace(escapedAmpersand, '&').replace(escapes, read);
    if (next === last) break;
    readings.push(next);
    last = next;
  }
  return readings;
}

/**
 * What escapes begin with, escaped itself, and again. Every repetition is bounded: no text takes longer than in
 * proportion to its length.
 */
const escapedPercent = /%(?:25){1,16}(?=[\da-f]{2})/gi;
const escapedAmpersand = /&(?:amp;){1,16}/gi;

/** Of URLs, of HTML and XML, of JSON and JavaScript, and of bytes in hex. */
const escapes =
  /((?:%[\da-f]{2}){1,64})|&#x0{0,16}([\da-f]{1,6});?|&#0{0,16}(\d{1,7});?|&[a-z]{2,16};|\\u([\da-f]{4})|\\u\{0{0,16}([\da-f]{1,6})\}|\\x([\da-f]{2})|\b0x([\da-f]{2})\b|\\[bfnrtv]/gi;

function read(
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
  // A line break, or an entity that is no letter or digit.
  return code === undefined ? '' : characterOf(Number.parseInt(code, 16));
}

const lastCodePoint = 0x10_ff_ff;

function characterOf(code: number): string {
  return code <= lastCodePoint ? String.fromCodePoint(code) : '';
}

/** The codes of ASCII letters, as lower case, and of digits; of all else 0. */
const keptCodes = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  return /[\da-z]/.test(character) ? character.charCodeAt(0) : 0;
});

/**
 * The ASCII letters and digits of a text, in lower case: what every way of writing, wrapping and grouping leaves as it
 * is.
 */
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
/** What a character counts when it leaves the window. */
const leaving = Array.from({ length: minSecretLength }).reduce<number>((power) => Math.imul(power, multiplier), 1);
const filterSize = 2 ** 14;

/**
 * Forms of secrets, found in a text in one pass over it: by a hash of eight characters that moves along, then by the
 * whole form.
 */
export class SecretIndex {
  readonly #forms = new Set<string>();
  /** Lengths of the forms that begin with a hash. */
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

  /** Whether a form is in what {@link lettersAndDigits} left of a text. */
  isIn(text: string): boolean {
    if (this.#forms.size === 0) return false;
    let hash = 0;
    for (let end = 0; end < text.length; end += 1) {
      const left = end < minSecretLength ? 0 : text.charCodeAt(end - minSecretLength);
      hash = (Math.imul(hash, multiplier) + text.charCodeAt(end) - Math.imul(left, leaving)) | 0;
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
