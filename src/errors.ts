// Every error a caller can meet. One base class; `kind` says what happened, `outcome` says what became of the request.
// No error holds a key, a secret, a signature or a payload. A raw body is kept where it helps, out of sight of loggers.
import type { FieldErrors } from './model/error-body.js';

/**
 * What became of the request, the one thing a bot must know after a failure:
 * - `not-sent`: it never left this process (or never reached the exchange); nothing was placed.
 * - `rejected`: the exchange refused it; nothing was placed.
 * - `unknown`: it may have been executed. Look for the order by its `client_order_id` before doing anything else.
 */
export type Outcome = 'not-sent' | 'rejected' | 'unknown';

/** What every error of this package is made of, beside its message. */
export interface ExchangeErrorOptions {
  /** Name of the endpoint, or of the function, that failed. */
  readonly endpoint: string;
  /** What became of the request. */
  readonly outcome: Outcome;
  /** The error that led to it. */
  readonly cause?: unknown;
}

/** The base of every error of this package. */
export abstract class ExchangeError extends Error {
  /** What happened; switch on it. */
  abstract readonly kind: string;
  /** Name of the endpoint that was called, such as `placeStockMarketOrder`. */
  readonly endpoint: string;
  /** What became of the request. */
  readonly outcome: Outcome;
  /** The identifier of the order that the call was about, when it was about one. */
  declare client_order_id?: string;

  constructor(message: string, options: ExchangeErrorOptions) {
    super(`${options.endpoint}: ${oneLine(message)}`, options.cause === undefined ? {} : { cause: options.cause });
    hide(this, 'name', new.target.name);
    this.endpoint = options.endpoint;
    this.outcome = options.outcome;
  }

  /** What a logger writes of it; the cause and the raw body stay out. */
  toJSON(): object {
    return Object.assign({ name: this.name, message: this.message }, this);
  }
}

/** What is wrong with one parameter. */
export interface RequestIssue {
  /** The parameter, with dots for nested ones. */
  readonly field: string;
  /** The value's problem and the rule. */
  readonly message: string;
}

/** Bad parameters or options. Nothing was sent and no permit was spent. */
export class RequestError extends ExchangeError {
  readonly kind = 'request';

  constructor(
    endpoint: string,
    /** One entry for each thing that is wrong. */
    readonly issues: readonly RequestIssue[],
    cause?: unknown,
  ) {
    super(issues.map(({ field, message }) => `${field} ${message}`).join('; '), { endpoint, outcome: 'not-sent', cause });
  }
}

/** What the exchange answered when it answered with an error. */
export interface ErrorAnswer {
  /** HTTP status. */
  readonly status: number;
  /** The exchange's code, when its body had one. */
  readonly code: number | undefined;
  /** The exchange's message, when its body had one. */
  readonly exchangeMessage: string | undefined;
  /** The exchange's messages by parameter; empty when its body had none. */
  readonly errors: FieldErrors;
  /** The raw body; absent where it could hold a secret. */
  readonly body: string | undefined;
}

/** The exchange, or the gateway before it, answered with an error. */
export abstract class HttpError extends ExchangeError implements ErrorAnswer {
  readonly status: number;
  readonly code: number | undefined;
  readonly exchangeMessage: string | undefined;
  readonly errors: FieldErrors;
  declare readonly body: string | undefined;

  constructor(answer: ErrorAnswer, options: ExchangeErrorOptions) {
    super(describeAnswer(answer), options);
    this.status = answer.status;
    this.code = answer.code;
    this.exchangeMessage = answer.exchangeMessage;
    this.errors = answer.errors;
    hide(this, 'body', answer.body);
  }
}

/**
 * Which of the exchange's cases it was, read from status, code, endpoint and field together (a code alone means
 * different things on different endpoints):
 * - `validation` (30): a field breaks a rule that has no name of its own; `errors` names it.
 * - `market` (31), `amount` (32), `price` (33), `client-order-id` (36): of an order, that field.
 * - `conflicting-flags` (37, 40): `ioc` with `postOnly` or `rpi`.
 * - `position-side` (114): it does not fit the account's hedge mode.
 * - `reduce-only` (116): no position, or the order is on its side.
 * - `order-not-found`: no order has the identifier, or it is not open any more.
 * - `insufficient-balance` (17), `positions-open` (113): the leverage cannot be set now.
 * - `other`: see `code` and `exchangeMessage`.
 */
export type ApiErrorReason =
  | 'validation'
  | 'market'
  | 'amount'
  | 'price'
  | 'client-order-id'
  | 'conflicting-flags'
  | 'position-side'
  | 'reduce-only'
  | 'order-not-found'
  | 'insufficient-balance'
  | 'positions-open'
  | 'other';

/** The exchange refused the request, or failed at it: see `status`, `code`, `exchangeMessage`, `errors` and `reason`. */
export class ApiError extends HttpError {
  readonly kind = 'api';

  constructor(
    answer: ErrorAnswer,
    /** The named case. */
    readonly reason: ApiErrorReason,
    options: ExchangeErrorOptions,
  ) {
    super(answer, options);
  }
}

/**
 * Why the exchange did not accept who was asking:
 * - `payload`: the signed payload is not what was sent.
 * - `signature`: the secret is not the key's.
 * - `nonce`: it was used before, or is outside the window around the exchange's clock.
 * - `key-disabled`: the key is switched off, or this address is not on its list.
 * - `key-not-authorized`: the key may not call this endpoint.
 * - `no-permission`: the account lacks the product, or any other 401 or 403.
 * - `two-factor`: the account has to switch on two-factor authentication first.
 */
export type AuthErrorReason =
  | 'payload'
  | 'signature'
  | 'nonce'
  | 'key-disabled'
  | 'key-not-authorized'
  | 'no-permission'
  | 'two-factor';

/** The exchange did not accept the key, the signature, the payload or the nonce. The request was not executed. */
export class AuthError extends HttpError {
  readonly kind = 'auth';

  constructor(
    answer: ErrorAnswer,
    /** What was not accepted. */
    readonly reason: AuthErrorReason,
    endpoint: string,
  ) {
    super(answer, { endpoint, outcome: 'rejected' });
  }
}

/** 429: too many requests from this address. The request was not executed. */
export class RateLimitedError extends HttpError {
  readonly kind = 'rate-limited';

  constructor(
    answer: ErrorAnswer,
    /** How long the exchange asked to wait, milliseconds, when it did. */
    readonly retryAfterMs: number | undefined,
    endpoint: string,
  ) {
    super(answer, { endpoint, outcome: 'rejected' });
  }
}

/** 503: the exchange is unavailable for now. Whether it executed the request first is not known. */
export class UnavailableError extends HttpError {
  readonly kind = 'unavailable';

  constructor(
    answer: ErrorAnswer,
    /** How long the exchange asked to wait, milliseconds, when it did. */
    readonly retryAfterMs: number | undefined,
    endpoint: string,
  ) {
    super(answer, { endpoint, outcome: 'unknown' });
  }
}

/** The connection could not be made (`not-sent`) or was lost, or the subscriber left while the request was on the wire (`unknown`). */
export class TransportError extends ExchangeError {
  readonly kind = 'transport';
}

/** Which of the bounds on time ran out: of making a connection, of one attempt, or of the whole call with all its attempts and waits. */
export type TimeoutPhase = 'connect' | 'attempt' | 'call';

const timedOut: Readonly<Record<TimeoutPhase, string>> = { connect: 'no connection', attempt: 'no complete answer', call: 'not ended' };

/** No answer in time; `phase` says which bound on time ran out. `unknown` when the request had been sent, `not-sent` otherwise. */
export class TimeoutError extends ExchangeError {
  readonly kind = 'timeout';

  constructor(
    endpoint: string,
    /** The bound that ran out, milliseconds. */
    readonly timeoutMs: number,
    /** Whose bound it was. */
    readonly phase: TimeoutPhase = 'attempt',
    outcome: Outcome = 'unknown',
  ) {
    super(`${timedOut[phase]} within ${timeoutMs} ms`, { endpoint, outcome });
  }
}

/**
 * An order whose answer was lost, and that is proven not to have been placed: it is neither open nor in the history, and its request can no
 * longer be executed. It was not sent again, or not successfully.
 */
export class NotPlacedError extends ExchangeError {
  readonly kind = 'not-placed';

  constructor(endpoint: string, cause: ExchangeError) {
    super(`the order was not placed: ${cause.message}`, { endpoint, outcome: 'not-sent', cause });
  }
}

/** A success whose body is not what the endpoint answers. The raw body is in `body`. */
export class ResponseError extends ExchangeError {
  readonly kind = 'response';
  /** The raw body; absent where it could hold a secret. Not shown by loggers. */
  declare readonly body: string | undefined;

  constructor(
    message: string,
    /** HTTP status. */
    readonly status: number,
    body: string | undefined,
    endpoint: string,
    cause?: unknown,
  ) {
    super(message, { endpoint, outcome: 'unknown', cause });
    hide(this, 'body', body);
  }
}

/** More requests are waiting for a permit than the group may queue. Nothing was sent. */
export class QueueFullError extends ExchangeError {
  readonly kind = 'queue-full';

  constructor(
    endpoint: string,
    /** The rate-limit group. */
    readonly group: string,
    /** How many may wait. */
    readonly maxQueued: number,
  ) {
    super(`${maxQueued} requests already wait for the limit of group "${group}"`, { endpoint, outcome: 'not-sent' });
  }
}

/** The request waited for a permit longer than it was worth. Nothing was sent. */
export class ExpiredError extends ExchangeError {
  readonly kind = 'expired';

  constructor(
    endpoint: string,
    /** The rate-limit group. */
    readonly group: string,
    /** How long it was worth waiting, milliseconds. */
    readonly expiresInMs: number,
  ) {
    super(`waited ${expiresInMs} ms for the limit of group "${group}"`, { endpoint, outcome: 'not-sent' });
  }
}

/** It was not done, because the exchange was down at the time: see `whenUp`. Nothing was sent. */
export class ExchangeDownError extends ExchangeError {
  readonly kind = 'down';

  constructor(
    /** The operator that did not let it pass. */
    operator: string,
    /** Why the exchange is down, as far as is known. */
    readonly reason: string | undefined,
  ) {
    super(`the exchange is down${reason === undefined ? '' : ` (${reason})`}`, { endpoint: operator, outcome: 'not-sent' });
  }
}

/**
 * Every error that an observable of this package can end with. A call:
 * - before anything is sent: {@link RequestError}, {@link QueueFullError}, {@link ExpiredError}.
 * - refused by the exchange: {@link AuthError}, {@link RateLimitedError}, {@link ApiError}.
 * - with no answer, or none that can be read: {@link UnavailableError}, {@link TransportError}, {@link TimeoutError}, {@link ResponseError}.
 *
 * An order also {@link NotPlacedError}; `whenUp` and `pauseWhileDown` {@link ExchangeDownError}. Which of them are repeated first is the
 * endpoint's {@link Safety} and the client's `retry`.
 */
export type AnyExchangeError =
  | RequestError
  | ApiError
  | AuthError
  | RateLimitedError
  | UnavailableError
  | TransportError
  | TimeoutError
  | ResponseError
  | NotPlacedError
  | QueueFullError
  | ExpiredError
  | ExchangeDownError;

/**
 * Whether it is an error of this package; narrows to the union, so that `kind` can be switched on.
 *
 * @example
 * ```ts
 * import { isExchangeError, type Exchange } from 'exchange-rx';
 *
 * const pingOnce = (exchange: Exchange) =>
 *   exchange.public.ping().subscribe({
 *     error: (error: unknown) => {
 *       if (!isExchangeError(error)) throw error;
 *       if (error.kind === 'timeout') console.log(`no answer within ${error.timeoutMs} ms`);
 *     },
 *   });
 * ```
 */
export function isExchangeError(error: unknown): error is AnyExchangeError {
  return error instanceof ExchangeError;
}

function describeAnswer({ status, code, exchangeMessage, errors }: ErrorAnswer): string {
  const fields = Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
  const said = [exchangeMessage, ...fields].filter((text) => text !== undefined && text !== '').join(' ');
  return `HTTP ${status}${code === undefined ? '' : `, code ${code}`}${said === '' ? '' : `: ${said}`}`;
}

/** The longest message, characters: what it quotes may be as long as an answer. */
const longestMessage = 2000;
const controlCharacters = /\p{Cc}+/gu;

/** A message as a terminal or a log can be given it, whatever it quotes. */
function oneLine(message: string): string {
  const short = message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message;
  return short.replace(controlCharacters, ' ');
}

function hide(error: ExchangeError, property: string, value: unknown): void {
  Object.defineProperty(error, property, { value, enumerable: false, configurable: true });
}
