// Removes the secrets of a client's requests from error messages, bodies and causes. A response may echo this request
// or an earlier one in any encoding, and a library may quote it in its error. A successful request costs one reference.
import type { Endpoint } from '../endpoint/index.js';
import { pathParameters } from '../model/path-parameters.js';
import { readJson } from './json.js';
import { formsOf, lettersAndDigits, minSecretLength, readingsOf, SecretIndex } from './secret-forms.js';
import type { TransportRequest } from './transport.js';

/** Removes secrets from a text and shortens it, by default to 262144 characters. */
export type Redact = (text: string, maxLength?: number) => string;

/** Replaces a secret, or a whole text that holds a secret in another encoding. */
export const hidden = '[hidden]';

interface Secret {
  readonly text: string;
  /** A random secret is recognized by a part of it, because no other text has that part by chance. */
  readonly isRandom: boolean;
}

/** Maximum characters of a response that an error quotes. */
export const maxQuotedLength = 262_144;
/** Characters removed before a cut: a secret that the cut splits is not recognized, so none of it may stay. */
const minCutOff = 4096;

/** Requests whose secrets are remembered: at least this many, at most twice as many. */
const requestsRemembered = 64;

/** Longer responses are not remembered, and at most this many texts of a response: responses with secrets are short. */
const maxRememberedLength = 65_536;
const maxRememberedTexts = 32;

/** The secrets of a client's recent requests, which its errors and events must not hold. */
export class RecentSecrets {
  readonly #requests = new RecentList();
  /** Apart, so that the token of a live connection is remembered while hundreds of requests are sent. */
  readonly #confidential = new RecentList();
  /** Removes the secrets that are remembered from a text that is about no request. */
  readonly redact: Redact;

  /** @param apiKey remembered as long as the client */
  constructor(private readonly apiKey: string | undefined) {
    this.redact = this.#redactor(() => []);
  }

  /** Remembers the secrets of a request that is sent now. */
  rememberRequest(endpoint: Endpoint, request: TransportRequest): void {
    if (isConfidential(endpoint))
      this.#confidential.add(() => [
        ...signedPartsOf(request),
        ...secretParamsOf(endpoint, request).filter(isDistinctive),
      ]);
    else if (endpoint.authentication !== 'none') this.#requests.add(() => signedPartsOf(request));
  }

  /** The function that removes the secrets of a request, and those that are remembered. */
  redactorOf(endpoint: Endpoint, request: TransportRequest): Redact {
    return this.#redactor(() => [...signedPartsOf(request), ...secretParamsOf(endpoint, request)]);
  }

  #redactor(secrets: () => readonly Secret[]): Redact {
    let own: OwnSecrets | undefined;
    return (text, maxLength = maxQuotedLength) => {
      own ??= new OwnSecrets([...(this.apiKey === undefined ? [] : [random(this.apiKey)]), ...secrets()]);
      const others = [...this.#requests.indexes(), ...this.#confidential.indexes()];
      const cutOff = Math.max(minCutOff, maxLength / 4);
      if (text.length <= maxLength) return own.removeFrom(text, others);
      const isCut = text.length > maxLength + cutOff;
      const beginning = own.removeFrom(isCut ? text.slice(0, maxLength + cutOff) : text, others);
      if (beginning === hidden) return hidden;
      // Copied: a slice would keep the whole text in memory.
      return Buffer.from(
        beginning.slice(0, isCut ? Math.min(maxLength, Math.max(0, beginning.length - cutOff)) : maxLength),
        'utf16le',
      ).toString('utf16le');
    };
  }

  /** Remembers the values of a confidential endpoint's successful response, such as new tokens. */
  rememberResponse(endpoint: Endpoint, body: string): void {
    if (isConfidential(endpoint) && body.length <= maxRememberedLength) this.#confidential.add(() => valuesIn(body));
  }
}

/** The secrets of the newest requests. */
class RecentList {
  #current = new RememberedSecrets();
  #previous = new RememberedSecrets();

  add(secrets: () => readonly Secret[]): void {
    if (this.#current.size >= requestsRemembered) {
      this.#previous = this.#current;
      this.#current = new RememberedSecrets();
    }
    this.#current.add(secrets);
  }

  indexes(): readonly SecretIndex[] {
    return [this.#current.index(), this.#previous.index()];
  }
}

/** Removes secrets from a text, in any encoding. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return new OwnSecrets(secrets.map(words)).removeFrom(text, []);
}

/** The secrets of several requests. Their encodings are computed when a text is searched for the first time. */
class RememberedSecrets {
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

/** The secrets of one request, the request that a text is about. */
class OwnSecrets {
  readonly #texts: readonly string[];
  readonly #index = new SecretIndex();

  constructor(secrets: readonly Secret[]) {
    const long = secrets.filter(({ text }) => text.length >= minSecretLength);
    // Longest first: the body contains the other secrets.
    this.#texts = long.map(({ text }) => text).sort((a, b) => b.length - a.length);
    for (const { text, isRandom } of long) this.#index.add(formsOf(text, isRandom));
  }

  /** Replaces secrets that appear as they were sent. Hides the whole text if it holds a secret in another encoding. */
  removeFrom(text: string, others: readonly SecretIndex[]): string {
    if (text.length < minSecretLength) return text;
    const rest = this.#texts.reduce((left, secret) => left.replaceAll(secret, hidden), text);
    return readingsOf(rest).some((reading) => this.#contains(reading, others)) ? hidden : rest;
  }

  #contains(reading: string, others: readonly SecretIndex[]): boolean {
    const plain = lettersAndDigits(reading);
    // The index has ASCII letters and digits only; a secret in another alphabet is searched as it is.
    return (
      [this.#index, ...others].some((index) => index.matches(plain)) ||
      this.#texts.some((text) => reading.includes(text))
    );
  }
}

function isConfidential({ authentication, confidential }: Endpoint): boolean {
  return confidential === true || authentication === 'form';
}

/** API key, payload and signature of a request, or its access token, and its body with the nonce. */
function signedPartsOf({ headers, body }: TransportRequest): Secret[] {
  const { authorization = '' } = headers;
  const signed = Object.entries(headers).flatMap(([name, value]) => (name.startsWith('X-TXC-') ? [random(value)] : []));
  if (authorization !== '') signed.push(random(authorization.replace(/^Bearer /, '')));
  return body === undefined ? signed : [words(body), ...signed];
}

/** The fields of a signed body that are not parameters, see `signedBody`. */
const signedBodyFields: readonly string[] = ['request', 'nonce', 'nonceWindow'];

/** The parameters of a confidential endpoint as they were sent, one by one. Nested names may be secrets, too. */
function secretParamsOf(endpoint: Endpoint, request: TransportRequest): Secret[] {
  return isConfidential(endpoint)
    ? [...pathValuesOf(endpoint, request).map(words), ...secretFieldsOf(endpoint, request)]
    : [];
}

/** The parameters in the path of a request. */
function pathValuesOf({ path }: Endpoint, { url }: TransportRequest): string[] {
  const template = path.split('/');
  // The base address may have a path, too.
  const segments = new URL(url).pathname.split('/').slice(-template.length);
  return segments.filter((_, index) => pathParameters(template[index] ?? '').length > 0).map(decodeURIComponent);
}

function secretFieldsOf(endpoint: Endpoint, { url, body = '' }: TransportRequest): Secret[] {
  switch (endpoint.authentication) {
    case 'none':
      return [...new URL(url).searchParams.values()].map(words);
    case 'bearer':
      return (body === '' ? [...new URL(url).searchParams.values()] : collectTexts(JSON.parse(body))).map(words);
    case 'form':
      return [...new URLSearchParams(body).values()].map(words);
    case 'signed': {
      const sent: unknown = JSON.parse(body);
      const params =
        typeof sent === 'object' && sent !== null
          ? Object.entries(sent).filter(([name]) => !signedBodyFields.includes(name))
          : [];
      return params.flatMap(([, value]: [string, unknown]) => collectTexts(value)).map(words);
    }
  }
}

/** Maximum nesting of parameters that is searched; a deeper value is one text. */
const maxDepth = 64;

/** All strings, numbers and names in a JSON value. */
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
  return 'value' in json ? collectTexts(json.value).map(words).filter(isDistinctive).slice(0, maxRememberedTexts) : [];
}

function random(text: string): Secret {
  return { text, isRandom: true };
}

function words(text: string): Secret {
  return { text, isRandom: false };
}

const minDistinctiveLength = 16;
const dateOrMarket = /^\d{4}-\d\d-\d\d|^[A-Z\d]{1,16}_[A-Z\d]{1,16}$/;

/** A word, number, market or date of one request may stand in the response to another, and is not hidden there. */
function isDistinctive({ text }: Secret): boolean {
  return text.length >= minDistinctiveLength && /\d/.test(text) && /[a-z]/i.test(text) && !dateOrMarket.test(text);
}
