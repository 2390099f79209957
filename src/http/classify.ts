// Which error an answer is. Decided by status, code, endpoint and field together, never by the text of a message.
import type { Endpoint, WireFields } from '../endpoint.js';
import {
  ApiError,
  AuthError,
  RateLimitedError,
  UnavailableError,
  type ApiErrorReason,
  type AuthErrorReason,
  type ErrorAnswer,
  type HttpError,
  type Outcome,
} from '../errors.js';
import { errorCodes } from '../model/error-body.js';
import { readErrorAnswer } from './error-answer.js';
import type { Redact } from './redact.js';
import { retryAfterMs } from './retry-after.js';
import type { WireAnswer } from './send.js';

/** What an answer is the answer to. */
export interface Asked {
  readonly fields: WireFields;
  readonly redact: Redact;
}

/** The error that an answer is, without the request's secrets; `now` is Unix ms. */
export function classifyError(endpoint: Endpoint, { status, headers, body }: WireAnswer, { fields, redact }: Asked, now: number): HttpError {
  const answer = readErrorAnswer(status, body, redact, endpoint.confidential === true);
  const authReason = authReasonOf(endpoint, answer);
  if (authReason !== undefined) return new AuthError(answer, authReason, endpoint.name);
  if (status === 429) return new RateLimitedError(answer, retryAfterMs(headers, now), endpoint.name);
  if (status === 503) return new UnavailableError(answer, retryAfterMs(headers, now), endpoint.name);
  return new ApiError(answer, apiReasonOf(endpoint, answer), { endpoint: endpoint.name, outcome: outcomeOf(endpoint, answer, fields) });
}

/** Of a gateway that no longer waited for the exchange, or for the client: 408, and nginx's own 499. */
const givenUp: readonly number[] = [408, 499];

/**
 * A request that failed inside the exchange, or on its way to it, may have been executed. So may one that is answered with HTTP 200 and `success: false`,
 * if it is to change something, unless the exchange says which of its fields is wrong.
 */
function outcomeOf({ safety }: Endpoint, { status, errors }: ErrorAnswer, fields: WireFields): Outcome {
  if (status >= 400 && status < 500) return givenUp.includes(status) ? 'unknown' : 'rejected';
  if (status < 200 || status > 299) return 'unknown';
  const asked = Object.keys(fields).map(plain);
  return safety === 'read' || Object.keys(errors).some((field) => asked.includes(plain(field))) ? 'rejected' : 'unknown';
}

/** The same for both of a field's names on the wire, `client_order_id` and `clientOrderId`. */
function plain(field: string): string {
  return field.replaceAll('_', '').toLowerCase();
}

function authReasonOf(endpoint: Endpoint, { status, code, errors }: ErrorAnswer): AuthErrorReason | undefined {
  if (endpoint.authentication !== 'signed') return undefined;
  if (Object.keys(errors).length > 0) return undefined;
  switch (status) {
    case 400:
      if (code === 9) return 'payload';
      // Of what the exchange refuses so (no payload, no request, no nonce, one that is out of the window), a client can only get the nonce wrong.
      return code === 0 ? 'nonce' : undefined;
    case 401:
    case 403:
      if (code === 10) return 'signature';
      if (code === 2) return 'key-disabled';
      if (code === 4) return 'key-not-authorized';
      return 'no-permission';
    case 412:
      return 'two-factor';
    case 429:
      // The rate limit answers without a code, from the gateway; a nonce that was used answers with one.
      return code === 0 ? 'nonce' : undefined;
    default:
      return undefined;
  }
}

function apiReasonOf(endpoint: Endpoint, { code, errors }: ErrorAnswer): ApiErrorReason {
  const refusal = endpoint.refusals?.find((known) => known.code === code && (known.field === undefined || known.field in errors));
  return refusal?.reason ?? (code === errorCodes.validation ? 'validation' : 'other');
}
