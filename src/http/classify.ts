// Which error a response is. Decided by status, code, endpoint and field together; by its text only where a refused
// nonce and a throttle share them.
import type { Endpoint, WireFields } from '../endpoints/define-endpoint.js';
import {
  ApiError,
  type ApiErrorReason,
  AuthError,
  type AuthErrorReason,
  type ErrorResponse,
  type HttpError,
  type Outcome,
  RateLimitedError,
  UnavailableError,
} from '../errors/index.js';
import { apiErrorCodes } from '../model/error-body.js';
import { plainName, readErrorResponse } from './error-response.js';
import type { Redact } from './redact.js';
import { retryAfterMs } from './retry-after.js';
import type { WireResponse } from './send.js';

/** What an answer is the answer to. */
export interface SentRequest {
  readonly fields: WireFields;
  readonly redact: Redact;
}

/** The error that an answer is, without the request's secrets; `now` is Unix ms. */
export function classifyError(
  endpoint: Endpoint,
  { status, headers, body }: WireResponse,
  { fields, redact }: SentRequest,
  now: number,
): HttpError {
  // What is hidden decides all the same.
  const { said, told } = readErrorResponse(status, body, endpoint, redact);
  const authReason = authReasonOf(endpoint, said);
  if (authReason !== undefined)
    return new AuthError(told, authReason, endpoint.name, authOutcomeOf(endpoint, authReason, said));
  const mayBeNonce =
    isDoneOnce(endpoint.safety) && refusesNonces.includes(status) && saysNothing(said) && isDamaged(body);
  if (status === 429)
    return new RateLimitedError(
      told,
      retryAfterMs(headers, now),
      endpoint.name,
      mayBeNonce ? 'unknown' : limitedOutcomeOf(endpoint, said),
    );
  if (status === 503) return new UnavailableError(told, retryAfterMs(headers, now), endpoint.name);
  return new ApiError(told, apiReasonOf(endpoint, said), {
    endpoint: endpoint.name,
    outcome: mayBeNonce ? 'unknown' : outcomeOf(endpoint, said, fields),
  });
}

/** The statuses with which the exchange refuses a nonce: that of a copy, perhaps, whose original was executed. */
const refusesNonces: readonly number[] = [400, 422, 429];

function saysNothing({ code, exchangeMessage, errors }: ErrorResponse): boolean {
  return code === undefined && exchangeMessage === undefined && Object.keys(errors).length === 0;
}

/**
 * Whether a body that says nothing may have said something: it begins as JSON does, or has characters that no page of a
 * gateway has.
 */
function isDamaged(body: string): boolean {
  return /^\s*[[{]/.test(body) || /[^\P{Cc}\s]|\ufffd/u.test(body);
}

/** Of a gateway that no longer waited for the exchange, or for the client: 408, and nginx's own 499. */
const givenUp: readonly number[] = [408, 499];

/**
 * A request that failed inside the exchange, or on its way to it, may have been executed. So may one that is answered
 * with HTTP 200 and `success: false`, if it is to change something, unless the exchange says which of its fields is
 * wrong.
 */
function outcomeOf({ safety }: Endpoint, { status, errors }: ErrorResponse, fields: WireFields): Outcome {
  if (status >= 400 && status < 500) return givenUp.includes(status) ? 'unknown' : 'rejected';
  if (status < 200 || status > 299) return 'unknown';
  const asked = Object.keys(fields).map(plainName);
  return safety === 'read' || Object.keys(errors).some((field) => asked.includes(plainName(field)))
    ? 'rejected'
    : 'unknown';
}

/**
 * A request may have been executed although its nonce is refused: a proxy that lost the response and repeated the
 * request passes on what the copy got. The copy's nonce is in use by then, or too old where the proxy waited. It is
 * never too far ahead where the original's was not.
 */
function authOutcomeOf(
  { safety }: Endpoint,
  reason: AuthErrorReason,
  { exchangeMessage = '' }: ErrorResponse,
): Outcome {
  const mayBeCopy = reason === 'nonce-used' || (reason === 'nonce-expired' && !isNonceAhead(exchangeMessage));
  return mayBeCopy && isDoneOnce(safety) ? 'unknown' : 'rejected';
}

/** Whether the exchange says that a nonce lies ahead of its clock, and not behind it. */
export function isNonceAhead(message: string): boolean {
  return /greater|ahead/i.test(message);
}

/**
 * The gateway's limit is no JSON, or says so. Any other 429 is the exchange's own, and its text may be a translation of
 * the one for a used nonce.
 */
function limitedOutcomeOf({ authentication, safety }: Endpoint, { code, exchangeMessage }: ErrorResponse): Outcome {
  const isOwn = code !== undefined || exchangeMessage !== undefined;
  const mayBeNonce = authentication === 'signed' && isOwn && !/attempt/i.test(exchangeMessage ?? '');
  return mayBeNonce && isDoneOnce(safety) ? 'unknown' : 'rejected';
}

function isDoneOnce(safety: Endpoint['safety']): boolean {
  return safety === 'order' || safety === 'once';
}

function authReasonOf(
  endpoint: Endpoint,
  { status, code, errors, exchangeMessage = '' }: ErrorResponse,
): AuthErrorReason | undefined {
  if (endpoint.authentication !== 'signed') return undefined;
  // What is wrong with a field is no matter of who asks, the nonce excepted.
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

/** The exchange's text for a nonce that was used before: "Too many requests."; "Too Many Attempts." is a throttle. */
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

function apiReasonOf(endpoint: Endpoint, { code, errors }: ErrorResponse): ApiErrorReason {
  const refusal = endpoint.errorCodes?.find(
    (known) => known.code === code && (known.field === undefined || known.field in errors),
  );
  return refusal?.reason ?? (code === apiErrorCodes.validation ? 'validation' : 'other');
}
