// A request that got no answer: did it leave?
import {
  copyError,
  findErrorCode,
  errorsIn,
  isInstance,
  type Outcome,
  readProperty,
  TimeoutError,
  TransportError,
} from '../errors/index.js';
import type { Redact } from './redact.js';
import { LostResponse } from './response-body.js';

/** Codes of a connection that was never made: nothing can have been sent on it. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Codes of a connection that was never made, if it was connecting that failed: one that was made can be lost with them,
 * too.
 */
const unreachable = new Set(['EHOSTUNREACH', 'ENETUNREACH']);

/** Codes of an answer that was not read to its end, because it or its headers would have been larger than any is. */
const tooLarge = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'ERR_BUFFER_TOO_LARGE', 'UND_ERR_HEADERS_OVERFLOW']);

/**
 * Codes of a certificate that is not accepted: the connection ends before anything is sent on it. Those of OpenSSL's
 * `X509_V_ERR_…` that Node gives.
 */
const notTrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** What is known of a request that failed. */
export interface FailedRequest {
  readonly redact: Redact;
  /** How long it was to try to connect. */
  readonly connectTimeoutMs: number;
  /** Whether anything of it may have been written. */
  readonly isWritten: boolean;
  /**
   * Whether its parameters and responses are secrets: what it failed with may quote any of them, and is no cause then.
   * Default false.
   */
  readonly isConfidential?: boolean;
}

/** The typed error for what `fetch` rejected with, without the request's secrets. */
export function transportError(
  endpoint: string,
  error: unknown,
  { redact, connectTimeoutMs, isWritten, isConfidential = false }: FailedRequest,
): TransportError | TimeoutError {
  // Whatever it was lost for, its request was sent: a code of connecting is not of this connection.
  const wasAnswered = isInstance(error, LostResponse);
  const reason = wasAnswered ? error.cause : error;
  const failure = findErrorCode(reason);
  const code = failure?.code;
  if (code === 'UND_ERR_CONNECT_TIMEOUT' && !wasAnswered)
    return new TimeoutError(endpoint, connectTimeoutMs, 'connect', 'not-executed');
  const [what, outcome] = wasAnswered
    ? whatWasLost(code)
    : whatHappened(code, isOfConnecting(failure?.bearer), isWritten);
  const cause = isConfidential ? undefined : copyError(reason, redact);
  return new TransportError(`${what}${code === undefined ? '' : ` (${redact(code)})`}`, { endpoint, outcome, cause });
}

function whatHappened(
  code: string | undefined,
  ofConnecting: boolean,
  isWritten: boolean,
): readonly [what: string, outcome: Outcome] {
  if (code !== undefined && notTrusted.has(code))
    return ['the certificate of the server is not accepted', 'not-executed'];
  const isNeverConnected = code !== undefined && (neverConnected.has(code) || (unreachable.has(code) && ofConnecting));
  return !isWritten || isNeverConnected ? ['could not connect', 'not-executed'] : whatWasLost(code);
}

function whatWasLost(code: string | undefined): readonly [what: string, outcome: Outcome] {
  if (code === 'ERR_NO_ROOM_FOR_RESPONSE')
    return ['there is no room for the response: too many large ones at once', 'unknown'];
  return [
    code !== undefined && tooLarge.has(code)
      ? 'the response is too large'
      : 'the connection was lost before a complete response',
    'unknown',
  ];
}

/** Whether an error is of connecting; one of several addresses has one for each. */
function isOfConnecting(error: unknown): boolean {
  const several = errorsIn(error);
  if (several === undefined) return false;
  return (several.length > 0 ? several : [error]).every(
    (one) => isInstance(one, Error) && readProperty(one, 'syscall') === 'connect',
  );
}
