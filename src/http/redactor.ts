// Replaces the secrets of a client in whatever its errors and events quote. A response may echo this request or an
// earlier one, and a library may quote it in its error. A successful request only remembers references.
import type { Endpoint, WireFields } from '../endpoint/index.js';
import { copyText } from '../errors/index.js';
import { replaceUnprintable } from '../model/printable.js';
import { readJson } from './json.js';
import type { TransportRequest } from './transport.js';

/** Replaces a secret, or a whole text that holds an escaped secret. */
export const hidden = '[hidden]';

/** Shorter texts are not treated as secrets, because they appear anywhere by chance. */
const minSecretLength = 8;
/** How many secrets of either kind are remembered. A request has three. */
const maxRemembered = 384;
/** Default maximum of a redacted text, characters. */
const defaultMaxLength = 16_384;
/** A secret whose characters are all written as `\u0041` is three times as long as its longest form, which is hex. */
const lengthWhenEscaped = 3;

/** The secrets of one client, and how they are removed from texts. Its calls and its live connections share it. */
export class Redactor {
  readonly #lasting: readonly string[];
  readonly #ofRequests = new RecentSecrets();
  /** Apart, so that the token of a live connection is remembered while hundreds of requests are sent. */
  readonly #confidential = new RecentSecrets();
  /** The forms of all secrets, longest first: a body contains other secrets. Computed when a text is redacted. */
  #forms: readonly string[] | undefined;

  /** @param lasting secrets that are never forgotten: key and secret of the client */
  constructor(lasting: readonly string[] = []) {
    this.#lasting = lasting.filter((secret) => secret.length >= minSecretLength);
  }

  /** @param isConfidential whether many requests without confidential texts must not displace it */
  remember(secret: string, isConfidential = false): void {
    if (secret.length < minSecretLength) return;
    if ((isConfidential ? this.#confidential : this.#ofRequests).add(secret)) this.#forms = undefined;
  }

  /** Replaces the secrets in the first `maxLength` characters of a text, and drops the rest. */
  readonly redact = (text: string, maxLength = defaultMaxLength): string => {
    const forms = (this.#forms ??= [
      ...this.#lasting.flatMap(formsOf),
      ...this.#ofRequests.forms(),
      ...this.#confidential.forms(),
    ].sort((one, other) => other.length - one.length));
    // Read beyond the maximum, so that no secret is cut before it is found. What is read beyond may end in a part of one.
    const beyond = lengthWhenEscaped * (forms[0]?.length ?? 0);
    const isCut = text.length > maxLength + beyond;
    const read = isCut ? text.slice(0, maxLength + beyond) : text;
    const redacted = forms.reduce(
      (left, form) => (form.length > left.length ? left : left.replaceAll(form, hidden)),
      read,
    );
    const decoded = decode(redacted);
    if (decoded !== redacted && forms.some((form) => decoded.includes(form))) return hidden.slice(0, maxLength);
    return isCut || redacted.length > maxLength
      ? copyText(redacted.slice(0, isCut ? Math.min(maxLength, Math.max(0, redacted.length - beyond)) : maxLength))
      : redacted;
  };

  /** The same on one line, without characters that a terminal acts upon: for a text of the exchange. */
  readonly quote = (text: string, maxLength?: number): string =>
    replaceUnprintable(this.redact(text, maxLength), () => ' ');
}

/** The secrets that were used last, and their forms once they were computed. */
class RecentSecrets {
  readonly #newest = new Map<string, readonly string[] | undefined>();

  /** Returns false when it is among them already. */
  add(secret: string): boolean {
    const forms = this.#newest.get(secret);
    const isNew = !this.#newest.delete(secret);
    this.#newest.set(secret, forms);
    if (this.#newest.size > maxRemembered) {
      const [oldest = secret] = this.#newest.keys();
      this.#newest.delete(oldest);
    }
    return isNew;
  }

  forms(): string[] {
    return Array.from(this.#newest, ([secret, known]) => {
      const forms = known ?? formsOf(secret);
      this.#newest.set(secret, forms);
      return forms;
    }).flat();
  }
}

/** The forms that are replaced: plain, base64 and base64url, hex, as in a URL, as in JSON. */
function formsOf(secret: string): readonly string[] {
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

/** Whether parameters and responses of an endpoint are secrets. */
export function isConfidential({ authentication, confidential }: Endpoint): boolean {
  return confidential === true || authentication === 'form';
}

/** Remembers the secrets of a request: payload and signature, or access token; the body; confidential parameters. */
export function rememberRequest(
  redactor: Redactor,
  endpoint: Endpoint,
  fields: WireFields,
  { headers, body }: TransportRequest,
): void {
  const isSecret = isConfidential(endpoint);
  if (endpoint.authentication === 'none' && !isSecret) return;
  const { authorization, 'X-TXC-PAYLOAD': payload, 'X-TXC-SIGNATURE': signature } = headers;
  for (const sent of [authorization?.replace(/^Bearer /, ''), payload, signature, body])
    if (sent !== undefined) redactor.remember(sent, isSecret);
  if (!isSecret) return;
  for (const text of collectTexts(Object.values(fields))) if (isDistinctive(text)) redactor.remember(text, true);
}

/** A longer response is not remembered, and at most this many of its texts: a response with tokens is short. */
const maxRememberedLength = 65_536;
const maxRememberedTexts = 32;

/** Remembers the values of a confidential endpoint's successful response, such as new tokens. */
export function rememberResponse(redactor: Redactor, endpoint: Endpoint, body: string): void {
  if (!isConfidential(endpoint) || body.length > maxRememberedLength) return;
  const json = readJson(body);
  const texts = 'value' in json ? collectTexts(json.value).filter(isDistinctive) : [];
  for (const text of texts.slice(0, maxRememberedTexts)) redactor.remember(text, true);
}

/** Maximum nesting of parameters that is searched. */
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
