// Classifies an error response by status, code, endpoint and field together. The text decides only where a rejected
// nonce and a rate limit share all of these.
import type { Endpoint } from '../endpoint/index.js';
import {
  ApiError,
  type ApiErrorReason,
  AuthError,
  type AuthErrorReason,
  type ErrorResponse,
  type HttpError,
  RateLimitedError,
  ResponseError,
  UnavailableError,
} from '../errors/index.js';
import { apiErrorCodes } from '../model/error-body.js';
import { readErrorResponse } from './error-response.js';
import { isBareRefusal, isTooManyAttempts, outcomeOf, outcomeOfEntry, type SentRequest } from './outcome.js';
import { retryAfterMs } from './retry-after.js';
import type { WireResponse } from './send.js';

/** The typed error of an error response, without the request's secrets; `now` is Unix ms. */
export function classifyError(sent: SentRequest, response: WireResponse, now: number): HttpError {
  const { endpoint } = sent;
  const { status, headers, body } = response;
  // The original decides, because redaction may hide what it decides by. The error quotes the other one.
  const { original, quoted } = readErrorResponse(response, sent);
  const { name } = endpoint;
  const reason = authReasonOf(endpoint, original);
  const isDamaged = isEmpty(original) && mayBeDamagedJson(body);
  const outcome = outcomeOf(sent, true, { response: original, reason, isDamaged });
  if (reason !== undefined) return new AuthError(quoted, reason, name, outcome);
  if (status === 429 || (isBareRefusal(original) && isTooManyAttempts(original.exchangeMessage)))
    return new RateLimitedError(quoted, retryAfterMs(headers, now), name, outcome);
  if (status === 503) return new UnavailableError(quoted, retryAfterMs(headers, now), name).with({ outcome });
  return new ApiError(quoted, apiReasonOf(endpoint, original), { endpoint: name, outcome });
}

/**
 * The typed error of one order in the response to a request of several. The order was rejected only if the exchange
 * gives one of its codes for a rejection.
 *
 * @param error `undefined` or null when the response has neither an order nor an error
 */
export function classifyItem(sent: SentRequest, status: number, error: unknown): ApiError | ResponseError {
  const { endpoint } = sent;
  if (error === undefined || error === null) {
    const message = `HTTP ${status}: the response has neither the order nor an error`;
    return new ResponseError(message, status, undefined, endpoint.name);
  }
  const entry = { status, headers: {}, body: JSON.stringify(error) };
  const { original, quoted } = readErrorResponse(entry, sent);
  return new ApiError(quoted, apiReasonOf(endpoint, original), {
    endpoint: endpoint.name,
    outcome: outcomeOfEntry(original.code),
  });
}

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

/** What a code means on an endpoint that does not define it. */
const commonReasons: ReadonlyMap<number | undefined, ApiErrorReason> = new Map([
  [apiErrorCodes.validation, 'validation'],
  [apiErrorCodes.market, 'market'],
]);

function apiReasonOf(endpoint: Endpoint, { status, code, errors }: ErrorResponse): ApiErrorReason {
  const errorCode = endpoint.errorCodes?.find(
    (known) =>
      (known.code === undefined || known.code === code) &&
      (known.status === undefined || known.status === status) &&
      (known.field === undefined || Object.hasOwn(errors, known.field)),
  );
  return errorCode?.reason ?? commonReasons.get(code) ?? 'other';
}
