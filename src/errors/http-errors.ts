// What the exchange, or the gateway before it, answered instead of a success.
import { ExchangeError, hide, type ExchangeErrorOptions, type Outcome } from './exchange-error.js';
import type { FieldErrors } from '../model/error-body.js';

/** What the exchange answered when it answered with an error. */
export interface ErrorResponse {
  /** HTTP status. */
  readonly status: number;
  /** The exchange's code, when its body had one. */
  readonly code: number | undefined;
  /** The exchange's message, when its body had one. */
  readonly exchangeMessage: string | undefined;
  /** The exchange's messages by parameter; empty when its body had none. */
  readonly errors: FieldErrors;
  /** The raw body, at most 262144 characters of it; absent where it could hold a secret. */
  readonly body: string | undefined;
}

/** The exchange, or the gateway before it, answered with an error. */
export abstract class HttpError extends ExchangeError implements ErrorResponse {
  readonly status: number;
  readonly code: number | undefined;
  readonly exchangeMessage: string | undefined;
  readonly errors: FieldErrors;
  declare readonly body: string | undefined;

  constructor(answer: ErrorResponse, options: ExchangeErrorOptions) {
    super(describeResponse(answer), options);
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
 * - `step` (1): of an order, an amount or a price that is no multiple of the market's step: see `roundAmount` and
 *   `roundPrice`.
 * - `conflicting-flags` (37, 40): `ioc` with `postOnly` or `rpi`.
 * - `position-side` (114): it does not fit the account's hedge mode.
 * - `reduce-only` (116): no position, or the order is on its side.
 * - `order-not-found`: no order has the identifier, or it is not open any more.
 * - `insufficient-balance`: of an order on collateral (10), or of a leverage (17), what the account has.
 * - `would-take` (13, 14): an order with `postOnly` or `rpi` would have been executed at once.
 * - `position-limit` (111, 112): the position, or the value of pending orders, would be above its maximum.
 * - `positions-open` (113): the leverage or the mode is locked while positions or orders are open.
 * - `opposite-position` (115): the order would open a position in the opposite direction.
 * - `other`: see `code` and `exchangeMessage`.
 */
export type ApiErrorReason =
  | 'validation'
  | 'market'
  | 'amount'
  | 'price'
  | 'step'
  | 'client-order-id'
  | 'conflicting-flags'
  | 'position-side'
  | 'reduce-only'
  | 'order-not-found'
  | 'insufficient-balance'
  | 'would-take'
  | 'position-limit'
  | 'positions-open'
  | 'opposite-position'
  | 'other';

/**
 * The exchange refused the request, or failed at it: see `status`, `code`, `exchangeMessage`, `errors` and `reason`.
 */
export class ApiError extends HttpError {
  readonly kind = 'api';

  constructor(
    answer: ErrorResponse,
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
 * - `nonce-expired`: the nonce is outside the window around the exchange's clock.
 * - `nonce-used`: the nonce was used before. A proxy that repeated the request gets this response for the copy, so that
 *   an order may have been executed all the same.
 * - `key-disabled`: the key is switched off, or this address is not on its list.
 * - `key-not-authorized`: the key may not call this endpoint.
 * - `no-permission`: the account lacks the product, or any other 401 or 403.
 * - `two-factor`: the account has to switch on two-factor authentication first.
 */
export type AuthErrorReason =
  | 'payload'
  | 'signature'
  | 'nonce-expired'
  | 'nonce-used'
  | 'key-disabled'
  | 'key-not-authorized'
  | 'no-permission'
  | 'two-factor';

/**
 * The exchange did not accept the key, the signature, the payload or the nonce. An order whose nonce was refused may
 * have an `unknown` outcome.
 */
export class AuthError extends HttpError {
  readonly kind = 'auth';

  constructor(
    answer: ErrorResponse,
    /** What was not accepted. */
    readonly reason: AuthErrorReason,
    endpoint: string,
    outcome: Outcome = 'rejected',
  ) {
    super(answer, { endpoint, outcome });
  }
}

/** 429: too many requests from this address. */
export class RateLimitedError extends HttpError {
  readonly kind = 'rate-limited';

  constructor(
    answer: ErrorResponse,
    /** How long the exchange asked to wait, milliseconds, when it did. */
    readonly retryAfterMs: number | undefined,
    endpoint: string,
    outcome: Outcome = 'rejected',
  ) {
    super(answer, { endpoint, outcome });
  }
}

/** 503: the exchange is unavailable for now. Whether it executed the request first is not known. */
export class UnavailableError extends HttpError {
  readonly kind = 'unavailable';

  constructor(
    answer: ErrorResponse,
    /** How long the exchange asked to wait, milliseconds, when it did. */
    readonly retryAfterMs: number | undefined,
    endpoint: string,
  ) {
    super(answer, { endpoint, outcome: 'unknown' });
  }
}

function describeResponse({ status, code, exchangeMessage, errors }: ErrorResponse): string {
  const fields = Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
  const said = [exchangeMessage, ...fields].filter((text) => text !== undefined && text !== '').join(' ');
  return `HTTP ${status}${code === undefined ? '' : `, code ${code}`}${said === '' ? '' : `: ${said}`}`;
}
