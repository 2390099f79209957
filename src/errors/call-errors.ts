// Every error a caller can meet. One base class; `kind` says what happened, `outcome` says what became of the request.
// No error holds a key, a secret, a signature or a payload. A raw body is kept where it helps, out of sight of loggers.
import { ExchangeError, hide, type Outcome } from './exchange-error.js';
import type { ApiError, AuthError, RateLimitedError, UnavailableError } from './http-errors.js';

export {
  ExchangeError,
  setOutcome,
  withoutOutcome,
  type ExchangeErrorOptions,
  type Outcome,
} from './exchange-error.js';
export {
  ApiError,
  AuthError,
  HttpError,
  RateLimitedError,
  UnavailableError,
  type ApiErrorReason,
  type AuthErrorReason,
  type ErrorAnswer,
} from './http-errors.js';

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
    outcome: Outcome = 'not-executed',
  ) {
    super(issues.map(({ field, message }) => `${field} ${message}`).join('; '), { endpoint, outcome, cause });
  }
}

/**
 * The connection could not be made (`not-executed`) or was lost, or the subscriber left while the request was on the wire
 * (`unknown`).
 */
export class TransportError extends ExchangeError {
  readonly kind = 'transport';
}

/**
 * Which of the bounds on time ran out: of making a connection, of one attempt, or of the whole call with all its
 * attempts and waits.
 */
export type TimeoutPhase = 'connect' | 'attempt' | 'call';

const timedOut: Readonly<Record<TimeoutPhase, string>> = {
  connect: 'no connection',
  attempt: 'no complete answer',
  call: 'not ended',
};

/**
 * No answer in time; `phase` says which bound on time ran out. `unknown` when the request had been sent, `not-executed`
 * otherwise.
 */
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
 * An order whose answer was lost, and that is proven not to have been placed: it is neither open nor in the history,
 * and its request can no longer be executed. It was not sent again, or not successfully.
 */
export class NotPlacedError extends ExchangeError {
  readonly kind = 'not-placed';

  constructor(endpoint: string, cause: ExchangeError) {
    super(`the order was not placed: ${cause.message}`, { endpoint, outcome: 'not-executed', cause });
  }
}

/** A success whose body is not what the endpoint answers. The raw body is in `body`. */
export class ResponseError extends ExchangeError {
  readonly kind = 'response';
  /** The raw body, at most 262144 characters of it; absent where it could hold a secret. Not shown by loggers. */
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
    readonly rateLimit: string,
    /** How many may wait. */
    readonly maxQueued: number,
  ) {
    super(`${maxQueued} requests already wait for the limit of group "${rateLimit}"`, {
      endpoint,
      outcome: 'not-executed',
    });
  }
}

/**
 * What a request lacked when it had waited for longer than it was worth:
 * - `limit`: a permit of its group.
 * - `in-flight`: `maxInFlight` requests were in flight, or for an urgent one `urgentInFlight` more.
 * - `nonce`: there was none free yet; with `nonce: 'increasing'`, another private request was in flight.
 */
export type WaitedFor = 'limit' | 'in-flight' | 'nonce' | 'connection' | 'check';

/** The request waited for its permit longer than it was worth; `waitedFor` says what it lacked. Nothing was sent. */
export class QueueTimeoutError extends ExchangeError {
  readonly kind = 'queue-timeout';

  constructor(
    endpoint: string,
    /** The rate-limit group. */
    readonly rateLimit: string,
    /** How long it was worth waiting, milliseconds. */
    readonly maxWaitMs: number,
    /** What it lacked when it expired. */
    readonly waitedFor: WaitedFor = 'limit',
  ) {
    super(`waited ${maxWaitMs} ms for ${lacked[waitedFor](rateLimit)}`, { endpoint, outcome: 'not-executed' });
  }
}

const lacked: Readonly<Record<WaitedFor, (group: string) => string>> = {
  limit: (group) => `the limit of group "${group}"`,
  'in-flight': () => 'room in flight: maxInFlight requests are unanswered',
  nonce: () => 'a nonce',
  connection: () => 'a connection',
  check: () => 'the checks and retries before it',
};

/** It was not done, because the exchange was down at the time: see `whenUp`. Nothing was sent. */
export class ExchangeDownError extends ExchangeError {
  readonly kind = 'down';

  constructor(
    /** The operator that did not let it pass. */
    operator: string,
    /** Why the exchange is down, as far as is known. */
    readonly reason: string | undefined,
  ) {
    super(`the exchange is down${reason === undefined ? '' : ` (${reason})`}`, {
      endpoint: operator,
      outcome: 'not-executed',
    });
  }
}

/**
 * Every error that an observable of this package can end with. A call:
 * - before anything is sent: {@link RequestError}, {@link QueueFullError}, {@link QueueTimeoutError}.
 * - refused by the exchange: {@link AuthError}, {@link RateLimitedError}, {@link ApiError}.
 * - with no answer, or none that can be read: {@link UnavailableError}, {@link TransportError}, {@link TimeoutError},
 *   {@link ResponseError}.
 *
 * An order also {@link NotPlacedError}; `whenUp` and `pauseWhileDown` {@link ExchangeDownError}. Which of them are
 * repeated first is the endpoint's {@link Safety} and the client's `retry`.
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
  | QueueTimeoutError
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

/** An error of this package as it is; for any other, one that says so, with this outcome. */
export function typedError(error: unknown, endpoint: string, outcome: Outcome): AnyExchangeError {
  return isExchangeError(error)
    ? error
    : new TransportError('failed in a way that was not foreseen', { endpoint, outcome, cause: error });
}

/** An error of an order whose outcome is not known. */
export type UndecidedError = AnyExchangeError & {
  /** The order may have been executed. */
  readonly outcome: 'unknown';
  /** The identifier that the order can be looked up by. */
  readonly client_order_id: string;
};

/**
 * Whether an order may have been placed although the call failed: the one failure at which a bot has to stop and look.
 * True for orders only; a failed read or cancel is never undecided.
 *
 * @example
 * ```ts
 * import { isUndecided, type Exchange } from 'exchange-rx';
 *
 * const buy = (exchange: Exchange) =>
 *   exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }).subscribe({
 *     error: (error: unknown) => {
 *       if (isUndecided(error)) console.log('look it up before trading on:', error.client_order_id);
 *     },
 *   });
 * ```
 */
export function isUndecided(error: unknown): error is UndecidedError {
  return isExchangeError(error) && error.outcome === 'unknown' && error.client_order_id !== undefined;
}
