// The errors that are error responses of the exchange, or of the gateway in front of it.
import type { FieldErrors } from '../model/error-body.js';
import { ExchangeError, keepResponseBody, type ExchangeErrorOptions, type Outcome } from './exchange-error.js';

/** An error response, in the fields of an {@link HttpError}. */
export interface ErrorResponse {
  readonly status: number;
  readonly code: number | undefined;
  readonly exchangeMessage: string | undefined;
  readonly errors: FieldErrors;
  /** Size and type of a body that has none of these, such as "1,532 bytes of text/html". */
  readonly description?: string;
  /** The raw body, see {@link responseBodyOf}. */
  readonly body?: string | undefined;
}

/** The exchange, or the gateway in front of it, responded with an error. */
export abstract class HttpError extends ExchangeError {
  /** HTTP status. */
  readonly status: number;
  /** The exchange's code; `undefined` when the body has none. */
  readonly code: number | undefined;
  /** The exchange's message; `undefined` when the body has none. */
  readonly exchangeMessage: string | undefined;
  /** The exchange's messages by parameter; empty when the body has none. */
  readonly errors: FieldErrors;

  /** @param meaning what follows from the response, in the message */
  constructor(response: ErrorResponse, options: ExchangeErrorOptions, meaning = '') {
    super(`${describeResponse(response)}${meaning}`, options);
    this.status = response.status;
    this.code = response.code;
    this.exchangeMessage = response.exchangeMessage;
    this.errors = response.errors;
    keepResponseBody(this, response.body);
  }
}

/**
 * The named case of an {@link ApiError}. Status, code, endpoint and field decide it together, because one code means
 * different things on different endpoints:
 * - `validation` (30): a field is invalid and no other reason applies; `errors` names the field.
 * - `market` (31), `amount` (32), `price` (33), `client-order-id` (36): this field of an order is invalid. `price` (151): the
 *   price that activates an OCO order is on the wrong side of the market's price.
 * - `step` (1): an order's amount or price is not a multiple of the market's step, see `roundAmount` and `roundPrice`.
 * - `conflicting-flags` (37, 40, 41): `ioc` with `postOnly` or `rpi`, or `rpi` with `retail`.
 * - `position-side` (114): the position side does not fit the account's hedge mode.
 * - `reduce-only` (116): there is no position, or the order is on its side.
 * - `order-not-found`: no open order has this id.
 * - `insufficient-balance`: the balance is too small for an order (10), for one of the orders of an OCO order (152, 153), or
 *   for the leverage (17).
 * - `would-take` (13, 14): an order with `postOnly` or `rpi` would execute immediately.
 * - `position-limit` (111, 112): the position, or the value of pending orders, would exceed its maximum.
 * - `positions-open` (113): leverage and mode are locked while positions or orders are open.
 * - `position-not-found` (104): no open position has this number: it was closed, or never existed.
 * - `opposite-position` (115): the order would open a position in the opposite direction.
 * - `duplicate`: a request with this key was executed before, or what it would end has ended.
 * - `region` (HTTP 451): the product is not available in the region of the request.
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
  | 'position-not-found'
  | 'opposite-position'
  | 'duplicate'
  | 'region'
  | 'other';

/** The exchange rejected the request, or failed to process it. */
export class ApiError extends HttpError {
  readonly kind = 'api';

  constructor(
    response: ErrorResponse,
    /** The named case. */
    readonly reason: ApiErrorReason,
    options: ExchangeErrorOptions,
  ) {
    super(response, options);
  }
}

/**
 * Why the exchange did not authenticate or authorize the request:
 * - `payload`: the signed payload differs from the body.
 * - `signature`: the secret does not belong to the key.
 * - `nonce-expired`: the nonce is outside the window around the exchange's clock.
 * - `nonce-used`: the nonce was used before. When a proxy retries a request, its copy gets this response, although the
 *   original may have been executed.
 * - `key-disabled`: the key is disabled, or this IP address is not on its allow list.
 * - `key-not-authorized`: the key may not call this endpoint.
 * - `no-permission`: the account lacks the product, or any other 401 or 403.
 * - `two-factor`: the account must enable two-factor authentication first.
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

const authMeanings: Readonly<Record<AuthErrorReason, string>> = {
  payload: 'the signed payload differs from the body',
  signature: 'the secret is wrong, or the key is unknown',
  'nonce-expired': "the nonce is not near the exchange's clock",
  'nonce-used': 'the nonce was used before',
  'key-disabled': 'the key is disabled, or this IP address is not on its allow list',
  'key-not-authorized': 'the key may not use this endpoint',
  'no-permission': 'the account lacks access',
  'two-factor': 'the account must enable two-factor authentication',
};

/**
 * The exchange rejected the key, signature, payload or nonce. When the nonce of an order was rejected, the outcome may
 * be `unknown`.
 */
export class AuthError extends HttpError {
  readonly kind = 'auth';

  constructor(
    response: ErrorResponse,
    /** What the exchange rejected. */
    readonly reason: AuthErrorReason,
    endpoint: string,
    outcome: Outcome = 'rejected',
  ) {
    super(response, { endpoint, outcome }, ` (${authMeanings[reason]})`);
  }
}

/** Too many requests from this IP address: 429, or HTTP 400 with "Too Many Attempts." of the main account. */
export class RateLimitedError extends HttpError {
  readonly kind = 'rate-limited';

  constructor(
    response: ErrorResponse,
    /** The wait that `Retry-After` requests, milliseconds; `undefined` without the header. */
    readonly retryAfterMs: number | undefined,
    endpoint: string,
    outcome: Outcome = 'rejected',
  ) {
    super(response, { endpoint, outcome });
  }
}

/** 503: the exchange is temporarily unavailable. It may have executed the request before it failed. */
export class UnavailableError extends HttpError {
  readonly kind = 'unavailable';

  constructor(
    response: ErrorResponse,
    /** The wait that `Retry-After` requests, milliseconds; `undefined` without the header. */
    readonly retryAfterMs: number | undefined,
    endpoint: string,
  ) {
    super(response, { endpoint, outcome: 'unknown' });
  }
}

function describeResponse({ status, code, exchangeMessage, errors, description }: ErrorResponse): string {
  if (description !== undefined) return `HTTP ${status}, ${description}`;
  const fieldMessages = Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
  const text = [exchangeMessage, ...fieldMessages].filter((part) => part !== undefined && part !== '').join(' ');
  return `HTTP ${status}${code === undefined ? '' : `, code ${code}`}${text === '' ? '' : `: ${text}`}`;
}
