// Whether a request was executed: the one place that decides it, by the request, whether any of it was written, and how
// it ended.
import type { Endpoint, WireFields } from '../endpoint/index.js';
import type { AuthErrorReason, ErrorResponse, Outcome } from '../errors/index.js';
import { plainName } from '../model/wire-names.js';
import type { Redactor } from './redactor.js';

/** A request that was sent, and how its secrets are removed from what errors and events quote. */
export interface SentRequest<Output = unknown> {
  readonly endpoint: Endpoint<never, Output>;
  readonly fields: WireFields;
  readonly redactor: Redactor;
}

type OutcomeRequest = Pick<SentRequest, 'endpoint' | 'fields'>;

/** A complete response that refuses a request. */
export interface Refusal {
  readonly response: ErrorResponse;
  /** Why the exchange did not authenticate the request, if that is what the response says. */
  readonly reason: AuthErrorReason | undefined;
  /** Whether the body may be JSON of the exchange that was damaged in transit. */
  readonly isDamaged: boolean;
}

/**
 * The outcome of a request that did not end in an output. A read that may have been executed changed nothing.
 *
 * @param refusal absent when no response, or none that can be understood, arrived
 */
export function outcomeOf(request: OutcomeRequest, isWritten: boolean, refusal?: Refusal): Outcome {
  if (!isWritten) return 'not-executed';
  if (refusal !== undefined && !mayBeOfCopy(request, refusal) && isRejected(request, refusal.response))
    return 'rejected';
  return request.endpoint.safety === 'read' ? 'none' : 'unknown';
}

/** Codes from this one on are HTTP statuses: the exchange failed at the order, and may have placed it. */
const firstStatusCode = 400;

/** The outcome of one order in the response to a request of several, by the code of its error. */
export function outcomeOfEntry(code = 0): Outcome {
  return code > 0 && code < firstStatusCode ? 'rejected' : 'unknown';
}

/** The statuses of a rejected nonce. */
const nonceStatuses: readonly number[] = [400, 422, 429];

/**
 * A request may have been executed although its nonce is rejected: a proxy that lost the response and retried the
 * request returns the response to the copy. The copy's nonce is used by then, or too old if the proxy waited. It is
 * never too far ahead, because the original's was not. Only a read is rejected by whatever rejects a copy of it.
 */
function mayBeOfCopy(
  { endpoint: { safety, authentication } }: OutcomeRequest,
  { response, reason, isDamaged }: Refusal,
): boolean {
  const { status, code, exchangeMessage } = response;
  if (safety === 'read') return false;
  if (reason !== undefined)
    return reason === 'nonce-used' || (reason === 'nonce-expired' && !isNonceAhead(exchangeMessage ?? ''));
  if (isDamaged && nonceStatuses.includes(status)) return true;
  // A message without a space is the key of a translation, which may be that of a rejected nonce.
  if (isBareRefusal(response)) return isTooManyAttempts(exchangeMessage) || /^\S+$/.test(exchangeMessage ?? '');
  // A gateway's 429 is not JSON, or its text has the word "attempt". Any other 429 comes from the exchange, and its text
  // may be a translation of the message for a used nonce.
  const isOfExchange = code !== undefined || exchangeMessage !== undefined;
  return status === 429 && authentication === 'signed' && isOfExchange && !/attempt/i.test(exchangeMessage ?? '');
}

/** Whether a refusal has code 0 and a message only. So the main account reports its rate limit. */
export function isBareRefusal({ status, code, errors }: ErrorResponse): boolean {
  return (status === 400 || status === 422) && code === 0 && Object.keys(errors).length === 0;
}

/** Whether a message is that of the main account's rate limit. */
export function isTooManyAttempts(message = ''): boolean {
  return /^too many attempts\b/i.test(message);
}

/** Whether the message of an expired nonce says that the nonce is ahead of the exchange's clock, and not behind it. */
export function isNonceAhead(message: string): boolean {
  return /greater|ahead/i.test(message);
}

/** A gateway stopped waiting for the exchange or the client: 408, and 499 of nginx. */
const gatewayTimeouts: readonly number[] = [408, 499];

/**
 * A request that failed inside the exchange or a gateway may have been executed. HTTP 200 with `success: false` rejects
 * a read. It rejects any other request only if it names an invalid parameter of the request.
 */
function isRejected({ endpoint, fields }: OutcomeRequest, { status, errors }: ErrorResponse): boolean {
  if (status >= 400 && status < 500) return !gatewayTimeouts.includes(status);
  if (status < 200 || status > 299) return false;
  const sentFields = Object.keys(fields).map(plainName);
  return endpoint.safety === 'read' || Object.keys(errors).some((field) => sentFields.includes(plainName(field)));
}
