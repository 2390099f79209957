// A request that got no answer: did it leave?
import { TimeoutError, TransportError, type Outcome } from '../errors.js';

/** Codes of a connection that was never made: nothing can have been sent on it. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Codes of an answer that was not read to its end, because it or its headers would have been larger than any is. */
const tooLarge = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'ERR_BUFFER_TOO_LARGE', 'UND_ERR_HEADERS_OVERFLOW']);

/** The typed error for what `fetch` rejected with; `connectTimeoutMs` is how long it was to try to connect. */
export function transportError(endpoint: string, error: unknown, connectTimeoutMs: number): TransportError | TimeoutError {
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new TimeoutError(endpoint, connectTimeoutMs, 'connect', 'not-sent');
  const outcome: Outcome = code !== undefined && neverConnected.has(code) ? 'not-sent' : 'unknown';
  const what = outcome === 'not-sent' ? 'could not connect' : tooLarge.has(code ?? '') ? 'the answer is too large' : 'the connection was lost before a complete answer';
  return new TransportError(`${what}${code === undefined ? '' : ` (${code})`}`, { endpoint, outcome, cause: error });
}

/** `fetch` rejects with a TypeError whose cause has the code. */
function codeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}
