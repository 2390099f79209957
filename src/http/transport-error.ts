// Classifies a request that failed without a response by whether it was sent.
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

/** Codes of a connection that was never made, so nothing was sent. `ConnectionRefused` is Bun's `fetch`. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ConnectionRefused']);

/** Codes of a connection that was never made, if connecting failed. An open connection can be lost with them, too. */
const unreachable = new Set(['EHOSTUNREACH', 'ENETUNREACH']);

/** Codes of a response whose body or headers exceed the maximum size. */
const tooLarge = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'ERR_BUFFER_TOO_LARGE', 'UND_ERR_HEADERS_OVERFLOW']);

/**
 * Codes of a certificate that is not trusted: the connection ends before anything is sent on it. These are OpenSSL's
 * `X509_V_ERR_…` as Node names them.
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

/** The circumstances of the failure. */
export interface FailedRequest {
  readonly redact: Redact;
  /** Maximum time to make a connection, milliseconds. */
  readonly connectTimeoutMs: number;
  /** Whether the request may have been written. */
  readonly isWritten: boolean;
  /**
   * Whether parameters and responses are secrets. The cause is then left out, because it may quote them. Default false.
   */
  readonly isConfidential?: boolean;
}

/** The typed error for a rejection of a transport, without the request's secrets. */
export function transportError(
  endpoint: string,
  error: unknown,
  { redact, connectTimeoutMs, isWritten, isConfidential = false }: FailedRequest,
): TransportError | TimeoutError {
  // A lost response proves that the request was sent: a code of connecting is then not about this connection.
  const hadResponse = isInstance(error, LostResponse);
  const reason = hadResponse ? error.cause : error;
  const failure = findErrorCode(reason);
  const code = failure?.code;
  if (code === 'UND_ERR_CONNECT_TIMEOUT' && !hadResponse)
    return new TimeoutError(endpoint, connectTimeoutMs, 'connect', 'not-executed');
  const [message, outcome] = hadResponse
    ? error.message === ''
      ? describeLost(code)
      : ([error.message, 'unknown'] as const)
    : describeFailure(code, isConnectError(failure?.bearer), isWritten);
  const cause = isConfidential ? undefined : copyError(reason, redact);
  return new TransportError(`${message}${code === undefined ? '' : ` (${redact(code)})`}`, {
    endpoint,
    outcome,
    cause,
  });
}

function describeFailure(
  code: string | undefined,
  failedToConnect: boolean,
  isWritten: boolean,
): readonly [message: string, outcome: Outcome] {
  if (code !== undefined && notTrusted.has(code)) return ['the server certificate is not trusted', 'not-executed'];
  const wasNeverConnected =
    code !== undefined && (neverConnected.has(code) || (unreachable.has(code) && failedToConnect));
  return !isWritten || wasNeverConnected ? ['could not connect', 'not-executed'] : describeLost(code);
}

function describeLost(code: string | undefined): readonly [message: string, outcome: Outcome] {
  if (code === 'ERR_RESPONSE_MEMORY_FULL')
    return ['the response was dropped, because too many large responses are in flight', 'unknown'];
  return [
    code !== undefined && tooLarge.has(code)
      ? 'the response exceeds its maximum size'
      : 'the connection was lost before the response was complete',
    'unknown',
  ];
}

/** Whether connecting failed. An error of a host with several addresses has one error for each. */
function isConnectError(error: unknown): boolean {
  const errors = errorsIn(error);
  if (errors === undefined) return false;
  return (errors.length > 0 ? errors : [error]).every(
    (one) => isInstance(one, Error) && readProperty(one, 'syscall') === 'connect',
  );
}
