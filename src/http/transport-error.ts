// A request that got no answer: did it leave?
import { TimeoutError, TransportError, type Outcome } from '../errors.js';
import type { Redact } from './redact.js';

/** Codes of a connection that was never made: nothing can have been sent on it. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Codes of an answer that was not read to its end, because it or its headers would have been larger than any is. */
const tooLarge = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'ERR_BUFFER_TOO_LARGE', 'UND_ERR_HEADERS_OVERFLOW']);

/** Codes of a certificate that is not accepted: the connection ends before anything is sent on it. Those of OpenSSL's `X509_V_ERR_…` that Node gives. */
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

/** The typed error for what `fetch` rejected with, without the request's secrets; `connectTimeoutMs` is how long it was to try to connect. */
export function transportError(endpoint: string, error: unknown, redact: Redact, connectTimeoutMs: number): TransportError | TimeoutError {
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new TimeoutError(endpoint, connectTimeoutMs, 'connect', 'not-sent');
  const [what, outcome] = whatHappened(code ?? '');
  return new TransportError(`${what}${code === undefined ? '' : ` (${redact(code)})`}`, { endpoint, outcome, cause: told(error, redact) });
}

function whatHappened(code: string): readonly [what: string, outcome: Outcome] {
  if (notTrusted.has(code)) return ['the certificate of the server is not accepted', 'not-sent'];
  if (neverConnected.has(code)) return ['could not connect', 'not-sent'];
  return [tooLarge.has(code) ? 'the answer is too large' : 'the connection was lost before a complete answer', 'unknown'];
}

const mostCauses = 8;

/** A foreign error as it is told: name, message, code, place and causes. What else it holds stays out: it may be the request, or the answer. */
function told(error: unknown, redact: Redact, depth = mostCauses): Error | undefined {
  if (depth === 0) return undefined;
  if (!(error instanceof Error)) return typeof error === 'string' ? new Error(redact(error)) : undefined;
  const several = error instanceof AggregateError ? error.errors.map((one: unknown) => told(one, redact, depth - 1)?.message) : [];
  const cause = told(error.cause, redact, depth - 1);
  const copy = new Error(redact([error.message, ...several].filter(Boolean).join('; ')), cause === undefined ? {} : { cause });
  Object.defineProperty(copy, 'name', { value: redact(error.name), enumerable: false });
  if (error.stack !== undefined) copy.stack = redact(error.stack);
  return 'code' in error && typeof error.code === 'string' ? Object.assign(copy, { code: redact(error.code) }) : copy;
}

/** `fetch` rejects with a TypeError whose cause has the code. */
function codeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}
