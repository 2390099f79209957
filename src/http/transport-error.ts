// A request that got no answer: did it leave?
import { TimeoutError, TransportError, type Outcome } from '../errors.js';
import type { Redact } from './redact.js';
import { LostAnswer } from './whole-answer.js';

/** Codes of a connection that was never made: nothing can have been sent on it. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Codes of a connection that was never made, if it was connecting that failed: one that was made can be lost with them, too. */
const unreachable = new Set(['EHOSTUNREACH', 'ENETUNREACH']);

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

/** What is known of a request that failed. */
export interface FailedRequest {
  readonly redact: Redact;
  /** How long it was to try to connect. */
  readonly connectTimeoutMs: number;
  /** Whether anything of it may have been written. */
  readonly isWritten: boolean;
  /** Whether its parameters and responses are secrets: what it failed with may quote any of them, and is no cause then. Default false. */
  readonly isConfidential?: boolean;
}

/** The typed error for what `fetch` rejected with, without the request's secrets. */
export function transportError(endpoint: string, error: unknown, { redact, connectTimeoutMs, isWritten, isConfidential = false }: FailedRequest): TransportError | TimeoutError {
  // Whatever it was lost for, its request was sent: a code of connecting is not of this connection.
  const wasAnswered = error instanceof LostAnswer;
  const reason = wasAnswered ? error.cause : error;
  const failure = failureOf(reason);
  if (failure.code === 'UND_ERR_CONNECT_TIMEOUT' && !wasAnswered) return new TimeoutError(endpoint, connectTimeoutMs, 'connect', 'not-sent');
  const [what, outcome] = wasAnswered ? whatWasLost(failure) : whatHappened(failure, isWritten);
  const cause = isConfidential ? undefined : told(reason, redact);
  return new TransportError(`${what}${failure.code === '' ? '' : ` (${redact(failure.code)})`}`, { endpoint, outcome, cause });
}

/** What a failure of the network is told by. */
interface Failure {
  /** Empty when there is none. */
  readonly code: string;
  readonly isOfConnecting: boolean;
}

function whatHappened({ code, isOfConnecting }: Failure, isWritten: boolean): readonly [what: string, outcome: Outcome] {
  if (notTrusted.has(code)) return ['the certificate of the server is not accepted', 'not-sent'];
  if (!isWritten || neverConnected.has(code) || (unreachable.has(code) && isOfConnecting)) return ['could not connect', 'not-sent'];
  return whatWasLost({ code });
}

function whatWasLost({ code }: Pick<Failure, 'code'>): readonly [what: string, outcome: Outcome] {
  return [tooLarge.has(code) ? 'the answer is too large' : 'the connection was lost before a complete answer', 'unknown'];
}

/** Causes may go round in a circle. */
const mostCauses = 8;

/** `fetch` rejects with a TypeError whose cause has the code; that of several addresses has a cause for each. */
function failureOf(error: unknown, depth = mostCauses): Failure {
  if (depth === 0 || !(error instanceof Error)) return { code: '', isOfConnecting: false };
  if (!('code' in error && typeof error.code === 'string')) return failureOf(error.cause, depth - 1);
  const each: readonly unknown[] = error instanceof AggregateError && error.errors.length > 0 ? error.errors : [error];
  return { code: error.code, isOfConnecting: each.every((one) => one instanceof Error && 'syscall' in one && one.syscall === 'connect') };
}

/** A foreign error as it is told: name, message, code, place and causes. What else it holds stays out: it may be the request, or the answer. */
function told(error: unknown, redact: Redact, depth = mostCauses): Error | undefined {
  if (depth === 0) return undefined;
  if (!(error instanceof Error)) return typeof error === 'string' ? new Error(redact(error)) : undefined;
  // Whoever made it may have set anything to anything.
  const { name, message, stack, cause }: Partial<Readonly<Record<'name' | 'message' | 'stack' | 'cause', unknown>>> = error;
  const several = error instanceof AggregateError ? error.errors.map((one: unknown) => told(one, redact, depth - 1)?.message) : [];
  const texts = [message, ...several].filter((text) => typeof text === 'string' && text !== '');
  const toldCause = told(cause, redact, depth - 1);
  const copy = new Error(redact(texts.join('; ')), toldCause === undefined ? {} : { cause: toldCause });
  if (typeof name === 'string') Object.defineProperty(copy, 'name', { value: redact(name), enumerable: false });
  if (typeof stack === 'string') copy.stack = redact(stack);
  return 'code' in error && typeof error.code === 'string' ? Object.assign(copy, { code: redact(error.code) }) : copy;
}
