// What private requests are signed with: one object for each client that has credentials.
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
  /** What was used of the key so far. */
  readonly used: () => NonceRange[];
  readonly mode: NonceMode;
  readonly shard: NonceShard | undefined;
  /** Whether the user gave the clock. */
  readonly isOwnClock: boolean;
}

export function createSigning({ credentials, clock, used, mode, shard, isOwnClock }: SigningOptions): Signing {
  const now = mode === 'window' ? () => clock.now() : clockOfIncreasing(clock, isOwnClock);
  return { sign: createSign(credentials), nonces: createNonces({ used, now, mode, shard }), mode };
}

/** Throws {@link RequestError} when private requests cannot be signed. */
export function requireSigning(signing: Signing | undefined, endpoint: string): Signing {
  if (signing !== undefined) return signing;
  throw new RequestError(endpoint, [{ field: 'credentials', message: 'are required: the endpoint is private' }]);
}

/**
 * Takes the nonce of a request that is sent now; throws {@link RequestError} when none is free. The only place that
 * takes one: a nonce that was taken earlier, with the permit, would age while a scheduler of the user's own holds it.
 */
export function takeNonce({ nonces, mode }: Signing, endpoint: string): Nonce {
  const nonce = nonces.take();
  if (nonce === undefined)
    throw new RequestError(endpoint, [{ field: 'nonce', message: 'is not free: more than one request a millisecond' }]);
  if (!Number.isFinite(nonce))
    throw new RequestError(endpoint, [
      { field: 'now', message: `must return Unix milliseconds, and returned ${nonce}` },
    ]);
  return { nonce, nonceWindow: mode === 'window' };
}

/**
 * The nonces of the increasing mode are moved by no response. A clock that goes on evenly does not count the hours for
 * which a machine is suspended, in which another program of the key may go ahead: the later of both clocks is taken,
 * unless the user gave one.
 */
function clockOfIncreasing(clock: ExchangeClock, isOwnClock: boolean): () => number {
  return isOwnClock ? clock.local : () => Math.max(clock.local(), Date.now());
}
