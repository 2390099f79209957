// Allocates nonces, which make a request valid once and for a short time: Unix milliseconds within 5 s of the exchange's
// clock, used once, in any order, because concurrent requests overtake each other.

/** Maximum difference between a nonce and the exchange's clock, milliseconds. */
export const nonceWindowMs = 5000;

/** Of one key. Every time is that of the exchange's clock now, Unix milliseconds. */
export interface Nonces {
  free(now: number): number;
  freeInMs(now: number): number;
  /** For a request that is sent now; `undefined` when none is free, NaN or Infinity when the clock is invalid. */
  take(now: number): number | undefined;
}

/**
 * A burst takes the nonces behind the clock first: these requests can execute for 3 s only, so their outcome is known
 * soon. Then it takes nonces ahead of the clock. The rest of the 5 s is for latency and clock differences.
 */
const maxNonceBehindMs = 2000;
export const maxNonceAheadMs = 3000;

/** Nonces at most this far apart belong to one range. */
const maxGapMs = 10_000;
/** A clock that is set more often than this forgets its first nonces. */
const maxRanges = 256;

/** A range of nonces that were used or skipped. A clock that is set starts a new range. */
export interface NonceRange {
  readonly from: number;
  last: number;
}

/**
 * Allocates nonces for a key.
 *
 * @param used the nonces of the key that were used; allocators with the same list never allocate one nonce twice
 */
export function createNonces(used: NonceRange[]): Nonces {
  const nextFree = (time: number): number => {
    let nonce = time - maxNonceBehindMs;
    for (;;) {
      const range = used.find(({ from, last }) => nonce >= from && nonce <= last);
      if (range === undefined) return nonce;
      nonce = range.last + 1;
    }
  };

  return {
    free(now) {
      const time = Math.floor(now);
      // Waiting does not help an invalid clock: the request fails when it is built.
      if (!Number.isFinite(time)) return Number.POSITIVE_INFINITY;
      return Math.max(0, time + maxNonceAheadMs - nextFree(time) + 1);
    },
    freeInMs(now) {
      return Math.max(0, nextFree(Math.floor(now)) - maxNonceAheadMs - now);
    },
    take(now) {
      const time = Math.floor(now);
      // An invalid clock must not mark nonces of the key as used.
      if (!Number.isFinite(time)) return time;
      const nonce = nextFree(time);
      if (nonce > time + maxNonceAheadMs) return undefined;
      const range = used.find(({ last }) => nonce > last && nonce - last <= maxGapMs);
      if (range === undefined) used.push({ from: nonce, last: nonce });
      else range.last = nonce;
      if (used.length > maxRanges) used.shift();
      return nonce;
    },
  };
}
