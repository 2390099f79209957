// Nonces: what makes a request valid once, and only for a short time. In the window mode a nonce is Unix milliseconds
// within ±5 s of the exchange's clock, used once, in any order. Concurrent requests overtake each other on the way, so
// an ever greater nonce could not be promised. In the increasing mode the exchange remembers the largest nonce,
// whatever its age: one that is a year ahead locks the key for a year, in every program. So these are made by the
// machine's clocks alone (the later of the steady one and the wall clock), which no response moves.

/** How far a nonce may be from the exchange's clock, in the window mode. */
export const nonceWindowMs = 5000;

/**
 * How a client makes its nonces: `window`, Unix milliseconds within 5 s of the exchange's clock, in any order; or
 * `increasing`, each above the one before, so that private requests go one at a time.
 */
export type NonceMode = 'window' | 'increasing';

/** Nonces of one key that several processes share: each takes every so many-th. */
export interface NonceShard {
  /** Which of them this process is, from 0. */
  readonly index: number;
  /** How many there are. */
  readonly count: number;
}

/** Allocates nonces; no two are the same. */
export interface Nonces {
  /** How many could be used now. */
  free(): number;
  /** Milliseconds until one is free. */
  freeInMs(): number;
  /**
   * Takes the nonce for a request that is sent now; `undefined` when none is free. Not finite when the clock shows no
   * time.
   */
  take(): number | undefined;
}

/**
 * The nonces of a burst are taken from behind the clock first, so that a request can be executed for 3 s only, and what
 * became of it is known soon; then from ahead of it. What is left of the window's 5 s is for the way, and for clocks
 * that differ.
 */
const maxNonceBehindMs = 2000;
export const maxNonceAheadMs = 3000;

/** Nonces that follow each other more closely are one stretch. */
const maxGapMs = 10_000;
const maxStretches = 16;

/** A stretch of nonces that were used, or skipped. A clock that was set begins a new one. */
export interface NonceRange {
  readonly from: number;
  last: number;
  readonly mode: NonceMode;
}

/** What nonces are made for, and by. */
export interface NonceOptions {
  /** What was used of the key so far. Those who are given the same share the nonces. */
  readonly used: () => NonceRange[];
  /** The exchange's clock in the window mode, the local one in the increasing mode; Unix milliseconds. */
  readonly now: () => number;
  /** Default `window`. */
  readonly mode?: NonceMode | undefined;
  /** Default: the only one. */
  readonly shard?: NonceShard | undefined;
}

/** Allocates nonces for a key. */
export function createNonces({
  used: usedSoFar,
  now,
  mode = 'window',
  shard: { index, count } = { index: 0, count: 1 },
}: NonceOptions): Nonces {
  /** The first nonce of this shard that is not before a time. */
  const inShard = (time: number) => Math.ceil((time - index) / count) * count + index;

  const following = (time: number, used = usedSoFar()): number => {
    // A nonce of the window mode that was further ahead was refused, and nobody remembers it.
    const largest = ({ last, mode: of }: NonceRange) =>
      of === 'increasing' ? last : Math.min(last, time + nonceWindowMs);
    if (mode === 'increasing') return inShard(Math.max(time, ...used.map((stretch) => largest(stretch) + 1)));
    let nonce = inShard(time - maxNonceBehindMs);
    for (;;) {
      const stretch = used.find(({ from, last }) => nonce >= from && nonce <= last);
      if (stretch === undefined) return nonce;
      nonce = inShard(stretch.last + 1);
    }
  };

  return {
    free() {
      if (mode === 'increasing') return Number.POSITIVE_INFINITY;
      const time = Math.floor(now());
      // Nothing to wait for: the request is refused when it is made.
      if (!Number.isFinite(time)) return Number.POSITIVE_INFINITY;
      return Math.max(0, Math.floor((time + maxNonceAheadMs - following(time)) / count) + 1);
    },
    freeInMs() {
      const time = now();
      return mode === 'increasing' ? 0 : Math.max(0, following(Math.floor(time)) - maxNonceAheadMs - time);
    },
    take() {
      const time = Math.floor(now());
      // A clock that shows no time makes no nonce, and takes none of the key's.
      if (!Number.isFinite(time)) return time;
      const used = usedSoFar();
      const nonce = following(time, used);
      if (mode === 'window' && nonce > time + maxNonceAheadMs) return undefined;
      const stretch = used.find(({ last, mode: of }) => of === mode && nonce > last && nonce - last <= maxGapMs);
      if (stretch === undefined) used.push({ from: nonce, last: nonce, mode });
      else stretch.last = nonce;
      if (used.length > maxStretches) used.shift();
      return nonce;
    },
  };
}
