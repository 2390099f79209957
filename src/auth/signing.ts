// Signs private requests: one object for each client with credentials.
import type { Nonce } from './body.js';
import { createSign, type Credentials, type Sign } from './credentials.js';
import type { ExchangeClock } from './exchange-clock.js';
import { createNonces, type NonceMode, type Nonces, type NonceShard, type NonceRange } from './nonces.js';
import { RequestError } from '../errors/index.js';

/** How private requests are signed. */
export interface Signing {
  readonly sign: Sign;
  readonly nonces: Nonces;
  readonly mode: NonceMode;
}

export interface SigningOptions {
  readonly credentials: Credentials;
  readonly clock: ExchangeClock;
  /** The nonces of the key that were used. */
  readonly used: NonceRange[];
  readonly mode: NonceMode;
  readonly shard: NonceShard | undefined;
  /** Whether the clock is the option `now`. */
  readonly isOwnClock: boolean;
}

export function createSigning({ credentials, clock, used, mode, shard, isOwnClock }: SigningOptions): Signing {
  const now = mode === 'window' ? clock.now.bind(clock) : clockOfIncreasing(clock, isOwnClock);
  return { sign: createSign(credentials), nonces: createNonces({ used, now, mode, shard }), mode };
}

/** Throws {@link RequestError} for a private request without credentials. */
export function requireSigning(signing: Signing | undefined, endpoint: string): Signing {
  if (signing !== undefined) return signing;
  throw new RequestError(endpoint, [{ field: 'credentials', message: 'are required: the endpoint is private' }]);
}

/**
 * Takes the nonce of a request that is sent now; throws {@link RequestError} when none is free. Nonces are taken here
 * only: a nonce taken earlier, with the permit, would age while a user's scheduler holds the permit.
 */
export function takeNonce({ nonces, mode }: Signing, endpoint: string): Nonce {
  const nonce = nonces.take();
  if (nonce === undefined)
    throw new RequestError(endpoint, [
      { field: 'nonce', message: 'is not available: at most one request per millisecond can be signed' },
    ]);
  if (!Number.isFinite(nonce))
    throw new RequestError(endpoint, [{ field: 'now', message: `must return Unix milliseconds (returned ${nonce})` }]);
  return { nonce, nonceWindow: mode === 'window' };
}

/**
 * No response moves increasing nonces. The steady clock does not count the time while the machine is suspended, when
 * another program may use the key. So the later of the steady clock and the wall clock counts, unless the user gave
 * one.
 */
function clockOfIncreasing(clock: ExchangeClock, isOwnClock: boolean): () => number {
  return isOwnClock ? clock.local : () => Math.max(clock.local(), Date.now());
}
