// Takes what is secret in the requests of a client out of what is told of a failure. An exchange, or a gateway before
// it, may repeat in its response what was sent, by this request or by an earlier one, in any form; and a library may
// put it into its error. A request that succeeds costs a reference.
import type { Endpoint } from '../endpoints/define-endpoint.js';
import { readJson } from './json.js';
import { formsOf, lettersAndDigits, minSecretLength, readingsOf, SecretIndex } from './secret-forms.js';
import type { WireRequest } from './send.js';

/** Takes secrets out of a text, and shortens it: by default to 262144 characters. */
export type Redact = (text: string, maxLength?: number) => string;

/** What stands in the place of a secret, or of a text that holds one in another form. */
export const hidden = '[hidden]';

interface Secret {
  readonly text: string;
  /** Whether it is random, so that a part of it is found by no chance. */
  readonly isRandom: boolean;
}

/** How many characters of a response an error may quote. */
export const maxQuotedLength = 262_144;
/** A secret may be cut where a text is: so much before the cut is left out, so that nothing of the secret stays. */
const minCutOff = 4096;

/** The secrets of a client's last requests: at least of so many, at most of twice as many. */
const requestsRemembered = 64;

/** Of a response that is longer nothing is remembered, and of any so many texts: what is secret in it is short. */
const maxRememberedLength = 65_536;
const maxRememberedTexts = 32;

/** The secrets of a client that its errors and events must not hold. */
export class RecentSecrets {
  #now = new Remembered();
  #before = new Remembered();

  /** @param apiKey known for as long as the client is */
  constructor(private readonly apiKey: string | undefined) {}

  /**
   * Remembers what is secret in a request, and prepares to take it out of texts, with what was secret in the requests
   * before.
   */
  redactorOf(endpoint: Endpoint, request: WireRequest): Redact {
    if (endpoint.authentication !== 'none' || isConfidential(endpoint))
      this.#remember(() => [...secretHeadersOf(request), ...secretParamsOf(endpoint, request).filter(isTelling)]);
    let own: OwnSecrets | undefined;
    return (text, maxLength = maxQuotedLength) => {
      own ??= new OwnSecrets([
        ...(this.apiKey === undefined ? [] : [random(this.apiKey)]),
        ...secretHeadersOf(request),
        ...secretParamsOf(endpoint, request),
      ]);
      const others = [this.#now.index(), this.#before.index()];
      const cutOff = Math.max(minCutOff, maxLength / 4);
      if (text.length <= maxLength) return own.takenOutOf(text, others);
      const isCut = text.length > maxLength + cutOff;
      const beginning = own.takenOutOf(isCut ? text.slice(0, maxLength + cutOff) : text, others);
      if (beginning === hidden) return hidden;
      // Copied: a slice would keep the whole text in memory.
      return Buffer.from(
        beginning.slice(0, isCut ? Math.min(maxLength, Math.max(0, beginning.length - cutOff)) : maxLength),
        'utf16le',
      ).toString('utf16le');
    };
  }

  /** Remembers what a success of a confidential endpoint handed to the caller, such as new tokens. */
  rememberResponse(endpoint: Endpoint, body: string): void {
    if (isConfidential(endpoint) && body.length <= maxRememberedLength) this.#remember(() => valuesIn(body));
  }

  #remember(secrets: () => readonly Secret[]): void {
    if (this.#now.size >= requestsRemembered) {
      this.#before = this.#now;
      this.#now = new Remembered();
    }
    this.#now.add(secrets);
  }
}

/** A text without some secrets, in whatever form they stand in it. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return new OwnSecrets(secrets.map(words)).takenOutOf(text, []);
}

/** The secrets of several requests. Their forms are made when a text must be searched. */
class Remembered {
  size = 0;
  #pending: (() => readonly Secret[])[] = [];
  readonly #index = new SecretIndex();

  add(secrets: () => readonly Secret[]): void {
    this.size += 1;
    this.#pending.push(secrets);
  }

  index(): SecretIndex {
    for (const secrets of this.#pending)
      for (const { text, isRandom } of secrets()) this.#index.add(formsOf(text, isRandom));
    this.#pending = [];
    return this.#index;
  }
}

/** The secrets of the request that a text is about. */
class OwnSecrets {
  readonly #texts: readonly string[];
  readonly #index = new SecretIndex();

  constructor(secrets: readonly Secret[]) {
    const long = secrets.filter(({ text }) => text.length >= minSecretLength);
    // The body holds others of them: it goes first.
    this.#texts = long.map(({ text }) => text).sort((a, b) => b.length - a.length);
    for (const { text, isRandom } of long) this.#index.add(formsOf(text, isRandom));
  }

  /**
   * What stands in the text as it was sent is replaced; a text that holds a secret in another form is hidden as a
   * whole.
   */
  takenOutOf(text: string, others: readonly SecretIndex[]): string {
    if (text.length < minSecretLength) return text;
    const left = this.#texts.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
    return readingsOf(left).some((reading) => this.#isIn(reading, others)) ? hidden : left;
  }

  #isIn(reading: string, others: readonly SecretIndex[]): boolean {
    const plain = lettersAndDigits(reading);
    // A secret of other alphabets has few ASCII letters and digits, or none.
    return (
      [this.#index, ...others].some((index) => index.isIn(plain)) || this.#texts.some((text) => reading.includes(text))
    );
  }
}

function isConfidential({ authentication, confidential }: Endpoint): boolean {
  return confidential === true || authentication === 'form';
}

/** Key, payload and signature of a request, and its body, which ends with what makes it valid once. */
function secretHeadersOf({ headers, body }: WireRequest): Secret[] {
  const proofs = Object.entries(headers).flatMap(([name, value]) => (name.startsWith('X-TXC-') ? [random(value)] : []));
  return body === undefined ? proofs : [words(body), ...proofs];
}

/** What a signed body holds beside the parameters: see `signedBody`. */
const notParams: readonly string[] = ['request', 'nonce', 'nonceWindow'];

/**
 * The parameters of a confidential endpoint, as they were sent. Each may be repeated without the others; names inside
 * may be secrets, too.
 */
function secretParamsOf(endpoint: Endpoint, { url, body = '' }: WireRequest): Secret[] {
  if (!isConfidential(endpoint)) return [];
  switch (endpoint.authentication) {
    case 'none':
      return [...new URL(url).searchParams.values()].map(words);
    case 'form':
      return [...new URLSearchParams(body).values()].map(words);
    case 'signed': {
      const sent: unknown = JSON.parse(body);
      const params =
        typeof sent === 'object' && sent !== null
          ? Object.entries(sent).filter(([name]) => !notParams.includes(name))
          : [];
      return params.flatMap(([, value]: [string, unknown]) => collectTexts(value)).map(words);
    }
  }
}

/** The deepest that parameters are looked through; what is deeper is one text. */
const maxDepth = 64;

/** All texts, numbers and names in a value as JSON has it. */
export function collectTexts(value: unknown, depth = maxDepth): string[] {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' || typeof value === 'number' ? [`${value}`] : [];
  if (depth === 0) return [JSON.stringify(value)];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(isList ? [] : [name]),
    ...collectTexts(inner, depth - 1),
  ]);
}

function valuesIn(body: string): Secret[] {
  const json = readJson(body);
  return 'value' in json ? collectTexts(json.value).map(words).filter(isTelling).slice(0, maxRememberedTexts) : [];
}

function random(text: string): Secret {
  return { text, isRandom: true };
}

function words(text: string): Secret {
  return { text, isRandom: false };
}

const minTellingLength = 16;
const dateOrMarket = /^\d{4}-\d\d-\d\d|^[A-Z\d]{1,16}_[A-Z\d]{1,16}$/;

/** A word, a name, a number, a market or a date is no secret of another request: its response may have the same one. */
function isTelling({ text }: Secret): boolean {
  return text.length >= minTellingLength && /\d/.test(text) && /[a-z]/i.test(text) && !dateOrMarket.test(text);
}
