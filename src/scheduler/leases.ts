// Permits in hand. Bottleneck is the authority on permits. A lease is one Bottleneck job whose weight is its number of
// permits, and which ends when the exchange no longer counts that many. Bottleneck is fast enough only with one job per
// lease instead of one per request. All permits are equal: whichever return, the oldest lease ends.

/** What leases need of Bottleneck. */
export interface LeaseLimiter {
  /**
   * Starts the job with the number of permits that it grants: at least one, and at most the weight. Takes them back
   * when the job ends. The first leases are granted before others, and as a whole.
   */
  schedule(lease: { readonly weight: number; readonly first: boolean }, job: (granted: number) => Promise<void>): void;
}

/** The sizes of leases. */
export interface LeaseTerms {
  /** Maximum number of permits of one lease. Must not exceed the permits of the limiter. */
  readonly size: number;
  /** Maximum number of leases that are requested at once. Default: as many as Bottleneck grants without a second queue. */
  readonly maxRequested?: number;
  /** The permits of the limiter, when no other process takes any: no more are requested. */
  readonly permits?: number;
  /** How many permits are kept in hand while no request waits, so that the next request can be sent at once. */
  readonly inHand: number;
  /**
   * Until when the permits in hand may be used, by `performance.now()`, when other processes use the limiter, too. By
   * default, there is no bound.
   */
  readonly usableUntil?: number;
}

interface Lease {
  readonly weight: number;
  readonly end: () => void;
}

/** Bottleneck grants one lease after another, in about 2 ms each: more requests would only wait in a second queue. */
const maxLeasesRequested = 4;

/** The permits of one limiter that this process holds. */
export class Leases {
  readonly #terms: LeaseTerms;
  readonly #onGrant: () => void;
  #limiter: LeaseLimiter;
  /** Oldest first. */
  readonly #held = new Set<Lease>();
  /** The permits of all leases that are held. */
  #weight = 0;
  #hand = 0;
  /** Permits of leases in {@link #held} that the exchange no longer counts. */
  #spare = 0;
  /** Permits that were requested and not granted yet. */
  readonly #requested = { permits: 0, leases: 0 };
  #out = 0;

  /** @param onGrant called when there are more permits in hand */
  constructor(limiter: LeaseLimiter, terms: LeaseTerms, onGrant: () => void) {
    this.#limiter = limiter;
    this.#terms = terms;
    this.#onGrant = onGrant;
  }

  /** Permits that can be used now. */
  get available(): number {
    return performance.now() < this.#usableUntil ? this.#hand : 0;
  }

  /** Permits that were taken and not put back. */
  get out(): number {
    return this.#out;
  }

  /** Permits that were put back, and are too few to end a lease. */
  get spare(): number {
    return this.#spare;
  }

  /** Takes a permit, when one is {@link available}. Returns until when it may be used, by `performance.now()`. */
  take(): number | undefined {
    if (this.available === 0) return undefined;
    this.#out += 1;
    this.#hand -= 1;
    return this.#usableUntil;
  }

  /** Puts back permits that the exchange no longer counts, or never did. */
  putBack(count: number): void {
    this.#out -= count;
    this.#spare += count;
    this.#endLeases();
  }

  /** Puts back a permit whose request was not sent: it is in hand again at once. */
  putBackUnused(): void {
    this.#out -= 1;
    this.#hand += 1;
  }

  /** Requests permits for this many waiting requests and a few for the hand, and returns what is too much. */
  want(waiting: number): void {
    const { inHand, size, maxRequested = maxLeasesRequested } = this.#terms;
    const wanted = waiting + inHand;
    const enough = waiting + Math.ceil(inHand / 2);
    while (this.#hand + this.#requested.permits < enough && this.#requested.leases < maxRequested) {
      const weight = Math.min(size, wanted - this.#hand - this.#requested.permits, this.#left());
      if (weight <= 0) break;
      this.#request(weight);
    }
    for (const { weight } of this.#held) {
      const missing = weight - this.#spare;
      if (this.#hand - wanted < missing) return;
      this.#hand -= missing;
      this.#spare += missing;
      this.#endLeases();
    }
  }

  /** Takes permits of a new limiter, which is certain to grant them, without waiting. They are in hand or `out` now. */
  takeFirst(count: number, to: 'hand' | 'out'): void {
    for (let left = count; left > 0; left -= this.#terms.size) {
      const weight = Math.min(left, this.#terms.size);
      const over = this.#add(weight);
      if (to === 'hand') this.#hand += weight;
      else this.#out += weight;
      this.#limiter.schedule({ weight, first: true }, () => over);
    }
  }

  /** Replaces the limiter. Of the permits that are held, only those that are out are taken from the new one. */
  replaceLimiter(limiter: LeaseLimiter): void {
    const [held, out] = [[...this.#held], this.#out];
    this.#limiter = limiter;
    Object.assign(this.#requested, { permits: 0, leases: 0 });
    this.#held.clear();
    this.#weight = this.#hand = this.#spare = this.#out = 0;
    this.takeFirst(out, 'out');
    for (const lease of held) lease.end();
  }

  #request(weight: number): void {
    const requested = this.#requested;
    const limiter = this.#limiter;
    requested.permits += weight;
    requested.leases += 1;
    limiter.schedule({ weight, first: false }, async (granted) => {
      if (limiter !== this.#limiter) return;
      requested.permits -= weight;
      requested.leases -= 1;
      const over = this.#add(granted);
      this.#hand += granted;
      this.#onGrant();
      await over;
    });
  }

  /** Resolves when the lease ends. */
  #add(weight: number): Promise<void> {
    this.#weight += weight;
    return new Promise((end) => {
      this.#held.add({ weight, end });
    });
  }

  get #usableUntil(): number {
    return this.#terms.usableUntil ?? Number.POSITIVE_INFINITY;
  }

  /** The free permits of the limiter, as far as is known. A larger lease would wait while they are idle. */
  #left(): number {
    return (this.#terms.permits ?? Number.POSITIVE_INFINITY) - this.#weight - this.#requested.permits;
  }

  #endLeases(): void {
    for (const lease of this.#held) {
      if (lease.weight > this.#spare) break;
      this.#spare -= lease.weight;
      this.#weight -= lease.weight;
      this.#held.delete(lease);
      lease.end();
    }
    // Permits that are too few to end a lease can be used again, unless other processes may wait for them.
    if (this.#terms.usableUntil !== undefined) return;
    this.#hand += this.#spare;
    this.#spare = 0;
  }
}
