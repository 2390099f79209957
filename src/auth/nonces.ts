// Nonces: what makes a request valid once, and only for a short time.
// Every private request says `nonceWindow: true`: its nonce is then Unix milliseconds within ±5 s of the exchange's clock, used once, in
// any order. Concurrent requests overtake each other on the way, so an ever greater nonce could not be promised.

/** How far ahead of the clock a burst may reach; the rest of the exchange's 5 s is for the way and for clocks that differ. */
const furthestAheadMs = 3000;

/** Allocates nonces; no two are the same. */
export interface Nonces {
  /**
   * The nonce for a request that is sent now, Unix milliseconds. `undefined` when a burst used up every one that the exchange would accept:
   * more than one request a millisecond, for seconds.
   */
  next(): string | undefined;
}

/** Allocates nonces by a clock of Unix milliseconds. */
export function createNonces(now: () => number): Nonces {
  let last = Number.NEGATIVE_INFINITY;
  return {
    next() {
      const time = Math.floor(now());
      const nonce = Math.max(time, last + 1);
      if (nonce > time + furthestAheadMs) return undefined;
      last = nonce;
      return String(nonce);
    },
  };
}
