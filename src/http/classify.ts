// Classifies an error response by status, code, endpoint and field together. The text decides only where a rejected
// nonce and a rate limit share all of these.
import { placesOrders, type Endpoint, type WireFields } from '../endpoints/define-endpoint.js';
import {
  ApiError,
  type ApiErrorReason,
  AuthError,
  type AuthErrorReason,
  type ErrorResponse,
  type HttpError,
  type Outcome,
  RateLimitedError,
  ResponseError,
  UnavailableError,
} from '../errors/index.js';
import { apiErrorCodes } from '../model/error-body.js';
import { plainName } from '../model/wire-names.js';
import { readErrorResponse } from './error-response.js';
import type { Redact } from './redact.js';
import { retryAfterMs } from './retry-after.js';
import type { WireResponse } from './send.js';

/** The request that a response belongs to. */
export interface SentRequest {
  readonly fields: WireFields;
  readonly redact: Redact;
  /** Whether an output that fits the request can only be the response to another one. */
  isOfAnother?(output: unknown): boolean;
}

/** The typed error of an error response, without the request's secrets; `now` is Unix ms. */
export function classifyError(
  endpoint: Endpoint,
  { status, headers, body }: WireResponse,
  { fields, redact }: SentRequest,
  now: number,
): HttpError {
  // The original decides, because redaction may hide what it decides by. The error holds the redacted one.
  const { original, redacted } = readErrorResponse(status, body, endpoint, redact);
  const authReason = authReasonOf(endpoint, original);
  if (authReason !== undefined)
    return new AuthError(redacted, authReason, endpoint.name, authOutcomeOf(endpoint, authReason, original));
  const mayBeNonceRejection =
    mustNotRunTwice(endpoint.safety) && nonceStatuses.includes(status) && isEmpty(original) && mayBeDamagedJson(body);
  if (status === 429)
    return new RateLimitedError(
      redacted,
      retryAfterMs(headers, now),
      endpoint.name,
      mayBeNonceRejection ? 'unknown' : limitedOutcomeOf(endpoint, original),
    );
  if (status === 503) return new UnavailableError(redacted, retryAfterMs(headers, now), endpoint.name);
  return new ApiError(redacted, apiReasonOf(endpoint, original), {
    endpoint: endpoint.name,
    outcome: mayBeNonceRejection ? 'unknown' : outcomeOf(endpoint, original, fields),
  });
}

/** Codes from this one on are HTTP statuses: the exchange failed at the order, and may have placed it. */
const firstStatusCode = 400;

/**
 * The typed error of one order in the response to a request of several. The order was rejected only if the exchange
 * gives one of its codes for a rejection.
 *
 * @param error `undefined` or null when the response has neither an order nor an error
 */
export function classifyItem(
  endpoint: Endpoint,
  status: number,
  error: unknown,
  { redact }: SentRequest,
): ApiError | ResponseError {
  if (error === undefined || error === null) {
    const message = `HTTP ${status}: the response has neither the order nor an error`;
    return new ResponseError(message, status, undefined, endpoint.name);
  }
  const { original, redacted } = readErrorResponse(status, JSON.stringify(error), endpoint, redact);
  const { code = 0 } = original;
  return new ApiError(redacted, apiReasonOf(endpoint, original), {
    endpoint: endpoint.name,
    outcome: code > 0 && code < firstStatusCode ? 'rejected' : 'unknown',
  });
}

/** The statuses of a rejected nonce, perhaps the nonce of a copy whose original was executed. */
const nonceStatuses: readonly number[] = [400, 422, 429];

function isEmpty({ code, exchangeMessage, errors }: ErrorResponse): boolean {
  return code === undefined && exchangeMessage === undefined && Object.keys(errors).length === 0;
}

/**
 * Whether a body without a readable message may be damaged JSON of the exchange: it begins like JSON, or has characters
 * that no page of a gateway has.
 */
function mayBeDamagedJson(body: string): boolean {
  return /^\s*[[{]/.test(body) || /[^\P{Cc}\s]|\ufffd/u.test(body);
}

/** A gateway stopped waiting for the exchange or the client: 408, and 499 of nginx. */
const gatewayTimeouts: readonly number[] = [408, 499];

/**
 * A request that failed inside the exchange or a gateway may have been executed. HTTP 200 with `success: false` rejects
 * a read. It rejects any other request only if it names an invalid parameter of the request.
 */
function outcomeOf({ safety }: Endpoint, { status, errors }: ErrorResponse, fields: WireFields): Outcome {
  if (status >= 400 && status < 500) return gatewayTimeouts.includes(status) ? 'unknown' : 'rejected';
  if (status < 200 || status > 299) return 'unknown';
  const sentFields = Object.keys(fields).map(plainName);
  return safety === 'read' || Object.keys(errors).some((field) => sentFields.includes(plainName(field)))
    ? 'rejected'
    : 'unknown';
}

/**
 * A request may have been executed although its nonce is rejected: a proxy that lost the response and retried the
 * request returns the response to the copy. The copy's nonce is used by then, or too old if the proxy waited. It is
 * never too far ahead, because the original's was not.
 */
function authOutcomeOf(
  { safety }: Endpoint,
  reason: AuthErrorReason,
  { exchangeMessage = '' }: ErrorResponse,
): Outcome {
  const mayBeCopy = reason === 'nonce-used' || (reason === 'nonce-expired' && !isNonceAhead(exchangeMessage));
  return mayBeCopy && mustNotRunTwice(safety) ? 'unknown' : 'rejected';
}

/** Whether the message of an expired nonce says that the nonce is ahead of the exchange's clock, and not behind it. */
export function isNonceAhead(message: string): boolean {
  return /greater|ahead/i.test(message);
}

/**
 * A gateway's 429 is not JSON, or its text has the word "attempt". Any other 429 comes from the exchange, and its text
 * may be a translation of the message for a used nonce.
 */
function limitedOutcomeOf({ authentication, safety }: Endpoint, { code, exchangeMessage }: ErrorResponse): Outcome {
  const isOfExchange = code !== undefined || exchangeMessage !== undefined;
  const mayBeNonceRejection = authentication === 'signed' && isOfExchange && !/attempt/i.test(exchangeMessage ?? '');
  return mayBeNonceRejection && mustNotRunTwice(safety) ? 'unknown' : 'rejected';
}

function mustNotRunTwice(safety: Endpoint['safety']): boolean {
  return placesOrders({ safety }) || safety === 'once';
}

function authReasonOf(
  endpoint: Endpoint,
  { status, code, errors, exchangeMessage = '' }: ErrorResponse,
): AuthErrorReason | undefined {
  if (endpoint.authentication === 'bearer')
    return status === 401 ? 'access-token' : status === 403 ? 'no-permission' : undefined;
  if (endpoint.authentication !== 'signed') return undefined;
  // An invalid field is not an authentication error, except the nonce.
  if (Object.keys(errors).some((field) => field.toLowerCase() !== 'nonce')) return undefined;
  switch (status) {
    case 400:
    case 422:
      if (code === 9 && status === 400) return 'payload';
      return code === 0 ? nonceReasonOf([exchangeMessage, ...Object.entries(errors).flat(2)].join(' ')) : undefined;
    case 401:
    case 403:
      if (code === 10) return 'signature';
      if (code === 2) return 'key-disabled';
      if (code === 4) return 'key-not-authorized';
      return 'no-permission';
    case 412:
      return 'two-factor';
    case 429:
      return code === 0 && usedNonce.test(exchangeMessage) ? 'nonce-used' : undefined;
    default:
      return undefined;
  }
}

/** The exchange's text for a used nonce is "Too many requests."; "Too Many Attempts." is a rate limit. */
const usedNonce = /too many requests|nonce/i;
/** "Your nonce is more than 5 seconds lesser than the current nonce" */
const expiredNonce = /nonce.*second|nonce.*window|nonce.*expired/i;
/** "Payload not provided.", "Nonce not provided.", "Invalid nonceWindow.", "Request not provided." */
const badPayload = /not provided|invalid nonce/i;

function nonceReasonOf(message: string): AuthErrorReason | undefined {
  if (badPayload.test(message)) return 'payload';
  if (expiredNonce.test(message)) return 'nonce-expired';
  return /nonce/i.test(message) ? 'nonce-used' : undefined;
}

function apiReasonOf(endpoint: Endpoint, { status, code, errors }: ErrorResponse): ApiErrorReason {
  const errorCode = endpoint.errorCodes?.find(
    (known) =>
      (known.code === undefined || known.code === code) &&
      (known.status === undefined || known.status === status) &&
      (known.field === undefined || Object.hasOwn(errors, known.field)),
  );
  return errorCode?.reason ?? (code === apiErrorCodes.validation ? 'validation' : 'other');
}
