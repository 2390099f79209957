// The base of every error: what happened, whether the request was executed, and texts that are safe to print. Of an error
// from outside the package only the texts are kept: it may hold a request with its headers, or a response.
import { replaceUnprintable } from '../model/printable.js';

/**
 * Whether the request was executed. Decide by it first:
 * - `not-executed`: the request was never sent, or is proven not to have been executed. Nothing was placed.
 * - `rejected`: the exchange rejected the request. Nothing was placed.
 * - `unknown`: the request may have been executed. Look up an order by its `client_order_id` before you continue, see
 *   {@link isUndecided}.
 * - `none`: a read failed. A read changes nothing and can be called again.
 */
export type Outcome = 'not-executed' | 'rejected' | 'unknown' | 'none';

/** The parts of every error beside its message. */
export interface ExchangeErrorOptions {
  /** Name of the endpoint or function that failed. */
  readonly endpoint: string;
  /** Whether the request was executed. */
  readonly outcome: Outcome;
  /**
   * The error that caused this one. An error of this package is kept as it is; any other error is copied: name,
   * message, code, stack and causes.
   */
  readonly cause?: unknown;
}

export interface CalledFrom {
  /** Its frames as in a stack trace, the innermost first. */
  readonly frames: string;
}

/** The page that documents every kind of error under a heading of its own. */
const docsPage = 'exchange-rx/docs/errors.md';

/** The base of every error of this package. */
export abstract class ExchangeError extends Error {
  /** What happened. `switch` on it: the compiler checks that every kind is handled. */
  abstract readonly kind: string;
  /** Name of the endpoint that was called, such as `spot.placeStockMarketOrder`, or of the function. */
  readonly endpoint: string;
  /** Whether the request was executed. */
  readonly outcome: Outcome;
  /** The order that the call was about; absent for other calls. */
  declare client_order_id?: string;

  constructor(message: string, options: ExchangeErrorOptions) {
    const cause = options.cause instanceof ExchangeError ? options.cause : copyError(options.cause);
    // A message that quotes another error of the endpoint names the endpoint once.
    const prefix = `${options.endpoint}: `;
    super(`${prefix}${toOneLine(message.replaceAll(prefix, ''))}`, cause === undefined ? {} : { cause });
    hide(this, 'name', new.target.name);
    this.endpoint = options.endpoint;
    this.outcome = options.outcome;
  }

  /** Where this kind of error is documented, such as `exchange-rx/docs/errors.md#timeout`: a file of the package. */
  get docs(): string {
    return `${docsPage}#${this.kind}`;
  }

  /**
   * The same error with another outcome, about an order, with the place that made the call as its stack, or with what
   * the call did before, in its message. An error is never changed: another call may hold it, too.
   *
   * @internal
   */
  with(known: {
    readonly outcome?: Outcome;
    readonly client_order_id?: string | undefined;
    readonly calledFrom?: CalledFrom | undefined;
    readonly after?: string | undefined;
  }): this {
    const { outcome = this.outcome, client_order_id = this.client_order_id, calledFrom, after } = known;
    const isSame = outcome === this.outcome && client_order_id === this.client_order_id;
    if (isSame && calledFrom === undefined && after === undefined) return this;
    const message = after === undefined ? this.message : `${this.message} (${after})`;
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    // A native error, so that loggers recognize it; none of its constructors runs again.
    const copy: unknown = Reflect.construct(Error, [message], this.constructor);
    Error.stackTraceLimit = stackTraceLimit;
    const order = client_order_id === undefined ? {} : { client_order_id };
    const copied = Object.assign(copy as this, this, { outcome }, order);
    hide(copied, 'name', this.name);
    if (this.cause !== undefined) hide(copied, 'cause', this.cause);
    // Made a text when it is read, which costs more than the copy.
    const stack = () => (calledFrom === undefined ? this.stack : `${this.name}: ${message}\n${calledFrom.frames}`);
    Object.defineProperty(copied, 'stack', { get: stack, enumerable: false, configurable: true });
    keepResponseBody(copied, responseBodyOf(this));
    return copied;
  }

  /** What loggers write: name, message, documentation link and fields, without the cause. */
  toJSON(): object {
    return Object.assign({ name: this.name, message: this.message, docs: this.docs }, this);
  }
}

/** Characters. A message may quote a response, whose length is not bounded. */
const maxMessageLength = 2000;

/** A quoted response must not write control characters to a terminal or a log. */
function toOneLine(message: string): string {
  const short = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
  return replaceUnprintable(short, () => ' ');
}

/** Adds a property that loggers, `JSON.stringify` and `util.inspect` do not show. */
function hide(error: ExchangeError, property: string, value: unknown): void {
  Object.defineProperty(error, property, { value, enumerable: false, configurable: true });
}

/** The raw bodies of responses, beside their errors: no logger, serializer or debugger finds one in an error. */
const bodies = new WeakMap<object, string>();

/** Characters. */
const maxBodyLength = 262_144;

/**
 * The raw body of the response that an error is about, at most 262144 characters. `undefined` for an error without a
 * response, and for the endpoints whose responses are secrets. The body may hold balances, orders, and whatever the
 * exchange repeats of a request: keep it out of logs.
 *
 * @example
 * ```ts
 * import { responseBodyOf } from 'exchange-rx';
 *
 * const isPage = (error: unknown) => responseBodyOf(error)?.trimStart().startsWith('<') === true;
 * ```
 */
export function responseBodyOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? bodies.get(error) : undefined;
}

/** Keeps the raw body for {@link responseBodyOf}. */
export function keepResponseBody(error: object, body: string | undefined): void {
  if (body === undefined) return;
  bodies.set(error, body.length > maxBodyLength ? copyText(body.slice(0, maxBodyLength)) : body);
}

/** A slice would keep the whole text in memory. */
export function copyText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Bounds chains of causes, which may be endless or circular. */
const maxCauses = 8;
/** A longer text is replaced as a whole: cut, it could end in a part of a secret, which redaction does not find. */
const maxTextLength = 16_384;

export interface TextRedactor {
  /** From a text of the program, such as the frames of a stack. */
  redact(text: string): string;
  /** From a text that may quote other requests, too: on one line. */
  quote(text: string): string;
}

const unchanged: TextRedactor = { redact: (text) => text, quote: (text) => text };

/**
 * Copies an error for a report: name, message, code, stack and causes, without secrets. A string becomes an error; any
 * other value gives `undefined`. An AggregateError of a failed connection has one error for each address of the host:
 * the message has those of all, and the first one is the cause.
 */
export function copyError(error: unknown, redactor = unchanged, depth = maxCauses): Error | undefined {
  const quoted = (text: string) => printable(redactor.quote(bounded(text)));
  if (typeof error === 'string') return new Error(quoted(error));
  if (depth === 0 || !(error instanceof Error)) return undefined;
  const text = (property: string, from: object = error) => {
    const value: unknown = Reflect.get(from, property);
    return typeof value === 'string' ? value : '';
  };
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors.slice(0, maxCauses) : [];
  const messages = [text('message'), ...inner.map((one) => (one instanceof Error ? text('message', one) : ''))];
  const message = quoted(messages.filter((one) => one !== '').join('; '));
  const cause = copyError(error.cause ?? inner[0], redactor, depth - 1);
  const copied = new Error(message, cause === undefined ? {} : { cause });
  const [name, code] = [text('name'), text('code')].map(quoted);
  if (name !== '') Object.defineProperty(copied, 'name', { value: name, enumerable: false });
  const frames = text('stack').match(/^ +at .*/gm) ?? [];
  copied.stack = printable(redactor.redact(bounded([`${copied.name}: ${message}`, ...frames].join('\n'))));
  return code === '' ? copied : Object.assign(copied, { code });
}

/** The first code in a chain of causes. `fetch` rejects with a TypeError without a code. */
export function errorCodeOf(error: unknown): string | undefined {
  let bearer = error;
  for (let depth = maxCauses; depth > 0 && bearer instanceof Error; depth -= 1) {
    const code: unknown = Reflect.get(bearer, 'code');
    if (typeof code === 'string') return bounded(code);
    bearer = bearer.cause;
  }
  return undefined;
}

/** Loggers write these texts raw: only line breaks may stay, which a stack has. */
function printable(text: string): string {
  return text
    .split('\n')
    .map((line) => replaceUnprintable(line, () => ' '))
    .join('\n');
}

function bounded(text: string): string {
  return text.length > maxTextLength ? `a text of ${text.length} characters` : text;
}
