// Classifies a request that failed without a response by whether it was sent.
import { copyError, findErrorCode, errorsIn, TimeoutError, TransportError } from '../errors/index.js';
import { targetOf } from './connections.js';
import { outcomeOf, type SentRequest } from './outcome.js';
import { isConfidential } from './redactor.js';
import { LostResponse } from './transport.js';

/** Codes of a connection that was never made, so nothing was sent. `ConnectionRefused` is Bun's `fetch`. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ConnectionRefused', 'UND_ERR_CONNECT_TIMEOUT']);

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
  /** Maximum time to make a connection, milliseconds. */
  readonly connectTimeoutMs: number;
  /** The exchange's base address. */
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
  const { name } = endpoint;
  // A lost response proves that the request was sent: a code of connecting is then not about this connection.
  const hadResponse = error instanceof LostResponse;
  const reason = hadResponse ? error.cause : error;
  const failure = findErrorCode(reason);
  const code = failure?.code;
  const isNotConnected = !hadResponse && neverConnected(code, failure?.bearer);
  const outcome = outcomeOf(sent, hadResponse || (isWritten && !isNotConnected));
  if (code === 'UND_ERR_CONNECT_TIMEOUT' && !hadResponse)
    return new TimeoutError(name, connectTimeoutMs, 'connect', outcome, `: ${hostOf(baseUrl)}${proxyHint(code)}`);
  const to = outcome === 'not-executed' ? hostOf(baseUrl) : undefined;
  const message = hadResponse && error.message !== '' ? error.message : describe(code, to);
  const cause = isConfidential(endpoint) ? undefined : copyError(reason, redactor.redact);
  const hint = to === undefined ? '' : proxyHint(code);
  return new TransportError(`${message}${code === undefined ? '' : ` (${redactor.quote(code)})`}${hint}`, {
    endpoint: name,
    outcome,
    cause,
  });
}

/** Whether the code of a failure shows that no connection was made, so that nothing was sent. */
function neverConnected(code: string | undefined, bearer: unknown): boolean {
  if (code === undefined) return false;
  return unsent.has(code) || notTrusted.has(code) || (unreachable.has(code) && isConnectError(bearer));
}

function hostOf(baseUrl: string): string {
  const { hostname, port } = targetOf(baseUrl);
  return `${hostname}:${port}`;
}

/** A proxy of the environment needs an option, which is easily missed. */
function proxyHint(code: string | undefined): string {
  const { HTTPS_PROXY, https_proxy = HTTPS_PROXY } = process.env;
  if (https_proxy === undefined || https_proxy === '' || (code !== undefined && notTrusted.has(code))) return '';
  return "; HTTPS_PROXY is set, which a client uses with the option proxy: 'environment' only";
}

/** @param to where no connection was made */
function describe(code: string | undefined, to: string | undefined): string {
  if (to !== undefined)
    return code !== undefined && notTrusted.has(code)
      ? 'the server certificate is not trusted'
      : `could not connect to ${to}`;
  if (code === 'ERR_TOO_MANY_LARGE_RESPONSES')
    return 'the response was dropped, because too many large responses are in flight';
  return code !== undefined && tooLarge.has(code)
    ? 'the response exceeds its maximum size'
    : 'the connection was lost before the response was complete';
}

/** Whether connecting failed. An error of a host with several addresses has one error for each. */
function isConnectError(error: unknown): boolean {
  const errors = errorsIn(error);
  if (errors === undefined) return false;
  return (errors.length > 0 ? errors : [error]).every(
    (one) => one instanceof Error && 'syscall' in one && one.syscall === 'connect',
  );
}
