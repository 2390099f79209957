// Replaces the secrets of a client in whatever its errors and events quote. A response may echo this request or an
// earlier one, and a library may quote it in its error.
import type { Endpoint, WireFields } from '../endpoint/index.js';
import { copyText } from '../errors/index.js';
import { replaceUnprintable } from '../model/printable.js';
import type { TransportRequest } from './transport.js';

/** Replaces a secret, or a whole text that holds an escaped secret. */
export const hidden = '[hidden]';

/** Shorter texts are not treated as secrets, because they appear anywhere by chance. */
const minSecretLength = 8;
const maxRemembered = 256;
/** Default maximum of a redacted text, characters. */
const defaultMaxLength = 16_384;
/** A secret whose characters are all written as `\u0041` is three times as long as its longest form, which is hex. */
const lengthWhenEscaped = 3;
/** A word as long as this is no part of a message. Payload, signature and body of every signed request are longer. */
const minLongWord = 48;
const longWords = new RegExp(`[!-~]{${minLongWord},}`, 'g');

/** The secrets of one client, and how they are removed from texts. Its calls and its live connections share it. */
export class Redactor {
  readonly #secrets: readonly string[];
  /** Confidential values and their forms, in the order of their last use. */
  readonly #remembered: Map<string, readonly string[]>;
  /** The forms of all secrets, longest first: a body contains other secrets. */
  #forms: readonly string[] | undefined;

  /** @param secrets secrets that are never forgotten, such as key and secret of the client */
  constructor(secrets: readonly string[] = [], remembered = new Map<string, readonly string[]>()) {
    this.#secrets = secrets;
    this.#remembered = remembered;
  }

  /** The same, which hides the secrets of one request, too. */
  with(secrets: readonly string[]): Redactor {
    return new Redactor([...this.#secrets, ...secrets], this.#remembered);
  }

  /** Hides a confidential value, such as a token, in later texts. */
  remember(secret: string): void {
    const forms = this.#remembered.get(secret) ?? formsOf(secret);
    this.#remembered.delete(secret);
    this.#remembered.set(secret, forms);
    const [oldest = secret] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered) this.#remembered.delete(oldest);
    this.#forms = undefined;
  }

  /** Replaces the secrets in the first `maxLength` characters of a text, and drops the rest. */
  readonly redact = (text: string, maxLength = defaultMaxLength, hideOthers = cut): string => {
    const forms = (this.#forms ??= [...this.#secrets.map(formsOf), ...this.#remembered.values()]
      .flat()
      .sort((one, other) => other.length - one.length));
    // Read beyond the maximum, so that no secret is cut before it is found. What is read beyond may end in a part of one.
    const beyond = Math.max(minLongWord, lengthWhenEscaped * (forms[0]?.length ?? 0));
    const isCut = text.length > maxLength + beyond;
    const read = isCut ? text.slice(0, maxLength + beyond) : text;
    const replaced = forms.reduce((left, form) => left.replaceAll(form, hidden), read);
    const decoded = decode(replaced);
    if (decoded !== replaced && forms.some((form) => decoded.includes(form))) return hidden.slice(0, maxLength);
    const end = isCut ? Math.max(0, replaced.length - beyond) : replaced.length;
    const redacted = hideOthers(replaced, Math.min(maxLength, end));
    return isCut || redacted.length > maxLength ? copyText(redacted.slice(0, maxLength)) : redacted;
  };

  /**
   * The same for a text of the exchange: on one line, without characters that a terminal acts upon, and without words
   * that may be secrets of another request.
   */
  readonly quote = (text: string, maxLength?: number): string =>
    replaceUnprintable(this.redact(text, maxLength, hideLongWords), () => ' ');
}

const cut = (text: string, end: number): string => text.slice(0, end);

/** The words until the end: one that goes on behind it is left out, unless it is long. */
function hideLongWords(text: string, end: number): string {
  const [rest] = /^[!-~]*/.exec(text.slice(end)) ?? [''];
  const redacted = text.slice(0, end + rest.length).replaceAll(longWords, hidden);
  return rest === '' || redacted.endsWith(hidden) ? redacted : redacted.replace(/[!-~]+$/, '');
}

/** The forms that are replaced: plain, base64 and base64url, hex, as in a URL, as in JSON. */
function formsOf(secret: string): readonly string[] {
  if (secret.length < minSecretLength) return [];
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    ...new Set([
      secret,
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      hex,
      hex.toUpperCase(),
      // Decoded from the bytes, because a lone surrogate cannot be written in a URL.
      encodeURIComponent(bytes.toString()),
      json,
      json.replaceAll('/', '\\/'),
    ]),
  ];
}

const escapes = /(?:%[\da-f]{2})+|\\u([\da-f]{4})|\\(["\\/])/gi;

function decode(text: string): string {
  return text.replace(escapes, (escaped, unicode?: string, character?: string) => {
    if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
    return character ?? Buffer.from(escaped.replaceAll('%', ''), 'hex').toString();
  });
}

/** The secrets of a request: payload, signature and body; confidential parameters. */
export function secretsOf(endpoint: Endpoint, fields: WireFields, { headers, body }: TransportRequest): string[] {
  const isSecret = endpoint.confidential;
  if (endpoint.authentication === 'none' && !isSecret) return [];
  const { 'X-TXC-PAYLOAD': payload, 'X-TXC-SIGNATURE': signature } = headers;
  const sent = [payload, signature, body].filter((one) => one !== undefined);
  return isSecret ? [...sent, ...distinctiveTexts(Object.values(fields))] : sent;
}

/** The values in the output of a confidential endpoint that later texts must not quote, such as new tokens. */
export function distinctiveTexts(value: unknown): string[] {
  return collectTexts(value).filter(isDistinctive).slice(0, maxRemembered);
}

const maxDepth = 64;

/** All strings, numbers and names in a value. */
export function collectTexts(value: unknown, depth = maxDepth): string[] {
  if (typeof value !== 'object' || value === null || depth === 0) return isText(value) ? [String(value)] : [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(isList ? [] : [name]),
    ...collectTexts(inner, depth - 1),
  ]);
}

function isText(value: unknown): value is string | number | bigint {
  return ['string', 'number', 'bigint'].includes(typeof value);
}

const minDistinctiveLength = 16;
const dateOrMarket = /^\d{4}-\d\d-\d\d|^[A-Z\d]{1,16}_[A-Z\d]{1,16}$/;

/** A word, number, market or date of one request may stand in the response to another, and is not hidden there. */
function isDistinctive(text: string): boolean {
  return text.length >= minDistinctiveLength && /\d/.test(text) && /[a-z]/i.test(text) && !dateOrMarket.test(text);
}
