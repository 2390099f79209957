// The typed error of a failed request. Of an error response, status, code, endpoint and field decide together; the text
// decides only where a rejected nonce and a rate limit share all of these.
import type { Endpoint } from '../endpoint/index.js';
import {
  ApiError,
  type ApiErrorReason,
  AuthError,
  type AuthErrorReason,
  copyError,
  type ErrorResponse,
  errorCodeOf,
  type HttpError,
  RateLimitedError,
  ResponseError,
  TimeoutError,
  TransportError,
  UnavailableError,
} from '../errors/index.js';
import { apiErrorCodes } from '../model/error-body.js';
import { targetOf } from './connections.js';
import { isForeign, quoteErrorResponse, readErrorResponse } from './error-response.js';
import { isBareRefusal, isTooManyAttempts, outcomeOf, outcomeOfEntry, type SentRequest } from './outcome.js';
import type { WireResponse } from './send.js';
import { LostResponse } from './transport.js';

/**
 * The typed error of an error response, without the request's secrets.
 *
 * @param value the parsed body; `undefined` for a body that is not JSON
 */
export function classifyError(sent: SentRequest, response: WireResponse, value: unknown): HttpError {
  const { endpoint } = sent;
  const { status, headers, body } = response;
  const original = readErrorResponse(status, value, endpoint);
  const quoted = quoteErrorResponse(original, response, sent);
  const { name } = endpoint;
  const reason = authReasonOf(endpoint, original);
  const isDamaged = isForeign(original) && mayBeDamagedJson(body);
  const outcome = outcomeOf(sent, true, { response: original, reason, isDamaged });
  if (reason !== undefined) return new AuthError(quoted, reason, name, outcome);
  if (status === 429 || (isBareRefusal(original) && isTooManyAttempts(original.exchangeMessage)))
    return new RateLimitedError(quoted, retryAfterMs(headers['retry-after']), name, outcome);
  if (status === 503) return new UnavailableError(quoted, retryAfterMs(headers['retry-after']), name).with({ outcome });
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
  const original = readErrorResponse(status, error, endpoint);
  const quoted = quoteErrorResponse(original, { headers: {}, body: JSON.stringify(error) }, sent);
  const about = { endpoint: endpoint.name, outcome: outcomeOfEntry(original.code) };
  return new ApiError(quoted, apiReasonOf(endpoint, original), about);
}

/** Whether a body without an envelope begins like JSON, or has characters that no page of a gateway has. */
function mayBeDamagedJson(body: string): boolean {
  return /^\s*[[{]/.test(body) || /[^\P{Cc}\s]|\ufffd/u.test(body);
}

function authReasonOf(
  endpoint: Endpoint,
  { status, code, errors, exchangeMessage = '' }: ErrorResponse,
): AuthErrorReason | undefined {
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
const expiredNonce = /second|window|expired/i;
/** "Payload not provided.", "Nonce not provided.", "Invalid nonceWindow.", "Request not provided." */
const badPayload = /not provided|invalid nonce/i;

function nonceReasonOf(message: string): AuthErrorReason | undefined {
  if (badPayload.test(message)) return 'payload';
  const at = message.search(/nonce/i);
  if (at === -1) return undefined;
  // One pattern for both would take a time that grows with the square of the length.
  return expiredNonce.test(message.slice(at)) ? 'nonce-expired' : 'nonce-used';
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

/** A longer wait counts as one day, so that a wrong header cannot stop a rate limit for good. */
const maxRetryAfterMs = 24 * 60 * 60 * 1000;

/** The wait that a header `Retry-After` requests, milliseconds, at most one day: in seconds, or until a date. */
export function retryAfterMs(header = ''): number | undefined {
  const value = header.trim();
  const waitMs = value.endsWith(' GMT')
    ? Date.parse(value) - Date.now()
    : /^\d+$/.test(value)
      ? Number(value) * 1000
      : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), maxRetryAfterMs);
}

/** Codes of a connection that was never made, so nothing was sent. `ConnectionRefused` is Bun's `fetch`. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ConnectionRefused', 'UND_ERR_CONNECT_TIMEOUT']);

/** A certificate that is not trusted: OpenSSL's `X509_V_ERR_…`. The connection ends before anything is sent on it. */
const notTrusted = /^(?:CERT_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY))/;

const tooLarge = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'ERR_BUFFER_TOO_LARGE', 'UND_ERR_HEADERS_OVERFLOW']);

export interface FailedRequest {
  readonly connectTimeoutMs: number;
  readonly baseUrl: string;
  /** Whether the request may have been written. */
  readonly isWritten: boolean;
}

/** The typed error for a rejection of a transport, without the request's secrets. */
export function transportError(
  sent: SentRequest,
  error: unknown,
  { connectTimeoutMs, baseUrl, isWritten }: FailedRequest,
): TransportError | TimeoutError {
  const { endpoint, redactor } = sent;
  // A lost response proves that the request was sent: a code of connecting is then not about this connection.
  const isSent = error instanceof LostResponse;
  const reason = isSent ? error.cause : error;
  const code = errorCodeOf(reason) ?? '';
  const isNotConnected = !isSent && (unsent.has(code) || notTrusted.test(code));
  const outcome = outcomeOf(sent, isSent || (isWritten && !isNotConnected));
  const { hostname, port } = targetOf(baseUrl);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' && !isSent)
    return new TimeoutError(endpoint.name, connectTimeoutMs, 'connect', outcome, `: ${hostname}:${port}${proxyHint()}`);
  const shown = code === '' ? '' : ` (${redactor.quote(code)})`;
  const unconnected = notTrusted.test(code)
    ? `the server certificate is not trusted${shown}`
    : `could not connect to ${hostname}:${port}${shown}${proxyHint()}`;
  const lost = isSent && error.message !== '' ? error.message : lossOf(code);
  return new TransportError(outcome === 'not-executed' ? unconnected : `${lost}${shown}`, {
    endpoint: endpoint.name,
    outcome,
    cause: endpoint.confidential ? undefined : copyError(reason, redactor),
  });
}

/** A proxy of the environment needs an option, which is easily missed. */
function proxyHint(): string {
  const { HTTPS_PROXY = '', https_proxy = HTTPS_PROXY } = process.env;
  return https_proxy === ''
    ? ''
    : "; HTTPS_PROXY is set, which a client uses with the option proxy: 'environment' only";
}

function lossOf(code: string): string {
  if (code === 'ERR_TOO_MANY_LARGE_RESPONSES')
    return 'the response was dropped, because too many large responses are in flight';
  return tooLarge.has(code)
    ? 'the response exceeds its maximum size'
    : 'the connection was lost before the response was complete';
}
