// A request that got no answer: did it leave?
import { TransportError, type Outcome } from '../errors.js';

/** Codes of a connection that was never made: nothing can have been sent on it. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** The typed error for what `fetch` rejected with. */
export function transportError(endpoint: string, error: unknown): TransportError {
  const code = codeOf(error);
  const outcome: Outcome = code !== undefined && neverConnected.has(code) ? 'not-sent' : 'unknown';
  const what = outcome === 'not-sent' ? 'could not connect' : 'the connection was lost before a complete answer';
  return new TransportError(`${what}${code === undefined ? '' : ` (${code})`}`, { endpoint, outcome, cause: error });
}

/** `fetch` rejects with a TypeError whose cause has the code. */
function codeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}
