// The errors of calls and streams that are not error responses: mistakes in the request, the queue, the connection, time
// limits, refused subscriptions, slow consumers.
// No error holds a key, a secret, a signature or a payload.
import { ExchangeError, keepResponseBody, type Outcome } from './exchange-error.js';

/** One mistake in the parameters or options. */
export interface RequestIssue {
  /** The parameter or option; nested names are joined by dots. */
  readonly field: string;
  /** The value and the rule that it breaks. */
  readonly message: string;
}

/** Invalid parameters or options. The request was not sent and took no permit. */
export class RequestError extends ExchangeError {
  readonly kind = 'request';

  constructor(
    endpoint: string,
    /** Every mistake that was found, at least one. */
    readonly issues: readonly RequestIssue[],
    cause?: unknown,
    outcome: Outcome = 'not-executed',
  ) {
    super(issues.map(({ field, message }) => `${field} ${message}`).join('; '), { endpoint, outcome, cause });
  }
}

/**
 * The connection could not be made (`not-executed`) or was lost, or the caller unsubscribed while the request was in
 * flight (`unknown`).
 */
export class TransportError extends ExchangeError {
  readonly kind = 'transport';
}

/**
 * The lookups of an order or a movement of money determined no outcome (`unknown`), or proved that a movement was not
 * executed (`not-executed`). As the cause of {@link NotPlacedError}: no list has the order that was looked up.
 */
export class LookupError extends ExchangeError {
  readonly kind = 'lookup';
}

/**
 * Which time limit was exceeded: `connect` (making a connection), `attempt` (one request and its response) or `call`
 * (all attempts and waits of the call).
 */
export type TimeoutPhase = 'connect' | 'attempt' | 'call';

const timeoutMessages: Readonly<Record<TimeoutPhase, string>> = {
  connect: 'no connection',
  attempt: 'no complete response',
  call: 'the call did not end',
};

/** A time limit was exceeded. `unknown` when the request had been sent, otherwise `not-executed`. */
export class TimeoutError extends ExchangeError {
  readonly kind = 'timeout';

  constructor(
    endpoint: string,
    /** The time limit, milliseconds. */
    readonly timeoutMs: number,
    /** The phase that the time limit is for. */
    readonly phase: TimeoutPhase = 'attempt',
    outcome: Outcome = 'unknown',
    /** What the message says of the phase, such as to which host. */
    detail = '',
  ) {
    super(`${timeoutMessages[phase]} within ${timeoutMs} ms${detail}`, { endpoint, outcome });
  }
}

/**
 * The response to an order was lost, and the order is proven not to exist: it is neither open nor in the history, and
 * its request can no longer execute. The order was not retried, or no retry succeeded.
 */
export class NotPlacedError extends ExchangeError {
  readonly kind = 'not-placed';

  constructor(endpoint: string, cause: ExchangeError) {
    super(`the order was not placed: ${cause.message}`, { endpoint, outcome: 'not-executed', cause });
  }
}

/** A successful response whose body is not a valid response of the endpoint. {@link responseBodyOf} gives the body. */
export class ResponseError extends ExchangeError {
  readonly kind = 'response';

  constructor(
    message: string,
    /** HTTP status. */
    readonly status: number,
    body: string | undefined,
    endpoint: string,
    cause?: unknown,
  ) {
    super(message, { endpoint, outcome: 'unknown', cause });
    keepResponseBody(this, body);
  }
}

/** The queue of the rate limit is full. The request was not sent. */
export class QueueFullError extends ExchangeError {
  readonly kind = 'queue-full';

  constructor(
    endpoint: string,
    /** Name of the rate limit. */
    readonly rateLimit: string,
    /** How many requests may wait for the rate limit. */
    readonly maxQueued: number,
  ) {
    super(`the queue of rate limit "${rateLimit}" is full: ${maxQueued} requests are queued`, {
      endpoint,
      outcome: 'not-executed',
    });
  }
}

/**
 * What a request was waiting for when its time in the queue ran out:
 * - `limit`: a permit of its rate limit.
 * - `in-flight`: `maxInFlight` requests were in flight, and for an urgent request `urgentInFlight` more.
 * - `nonce`: a free nonce: 5001 private requests were sent within 5 s, by clients of one key.
 * - `connection`: a connection.
 * - `check`: the checks before the request, such as market rules, or the wait before a retry.
 */
export type WaitedFor = 'limit' | 'in-flight' | 'nonce' | 'connection' | 'check';

/** The request waited longer than `validForMs` or `maxWaitMs` allows. It was not sent. */
export class QueueTimeoutError extends ExchangeError {
  readonly kind = 'queue-timeout';

  constructor(
    endpoint: string,
    /** Name of the rate limit. */
    readonly rateLimit: string,
    /** The maximum wait, milliseconds. */
    readonly maxWaitMs: number,
    /** What the request was waiting for. */
    readonly waitedFor: WaitedFor = 'limit',
  ) {
    super(`not sent within ${maxWaitMs} ms: ${waitMessages[waitedFor](rateLimit)}`, {
      endpoint,
      outcome: 'not-executed',
    });
  }
}

const waitMessages: Readonly<Record<WaitedFor, (rateLimit: string) => string>> = {
  limit: (rateLimit) => `no permit of rate limit "${rateLimit}" was free`,
  'in-flight': () => 'maxInFlight requests are in flight',
  nonce: () => 'no nonce was free',
  connection: () => 'no connection was free',
  check: () => 'the time ran out during checks or before a retry',
};

/** `pauseWhileDown` could not hold a value back any longer while the exchange was down. Nothing was sent for it. */
export class ExchangeDownError extends ExchangeError {
  readonly kind = 'down';

  constructor(
    /** Name of the operator. */
    operator: string,
    /** Why the exchange is down; `undefined` when no reason is known. */
    readonly reason: string | undefined,
  ) {
    super(`the exchange is down${reason === undefined ? '' : ` (${reason})`}`, {
      endpoint: operator,
      outcome: 'not-executed',
    });
  }
}

/** The consumer of a stream is slower than the stream, and too many values wait for it. */
export class SlowConsumerError extends ExchangeError {
  readonly kind = 'slow-consumer';

  constructor(
    /** Name of the function. */
    operator: string,
    /** How many values may wait. */
    readonly maxWaiting: number,
  ) {
    super(
      `${maxWaiting} values wait, and another one came: the loop is slower than the stream. Do less in the loop, or set keep to "latest", to a greater number or to "all"`,
      { endpoint: operator, outcome: 'none' },
    );
  }
}

/**
 * The exchange refuses a subscription or a query on a live connection, or the tokens of the account's connection; or it
 * does not list the market of a subscription, which then is not sent.
 */
export class LiveRefusedError extends ExchangeError {
  readonly kind = 'live-refused';

  constructor(
    /** Name of the channel or query. */
    channel: string,
    /** The exchange's code; `undefined` when its response has none, and for a market that the exchange does not list. */
    readonly code: number | undefined,
    /** The exchange's message; empty when its response has none. For a market that is not listed, it says so. */
    readonly exchangeMessage: string,
    /** The market, or other key, that was refused; `undefined` for a query, and for the account. */
    readonly key?: string,
  ) {
    const about = key === undefined ? '' : `${key}: `;
    const parts = [code === undefined ? '' : `code ${code}`, exchangeMessage].filter((part) => part !== '');
    super(`${about}the exchange refuses it (${parts.join(': ') || 'no code'})`, { endpoint: channel, outcome: 'none' });
  }
}
