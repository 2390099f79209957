// Permits in hand. Bottleneck says how many there are; a lease is one of its jobs, of a weight of many permits, that
// lasts until as many permits are no longer counted by the exchange. One job a lease instead of one a request is what
// makes Bottleneck fast enough. Permits are alike: whichever come back, it is the oldest lease that ends.

/** Bottleneck, as leases need it. */
export interface LeaseLimiter {
  /**
   * Starts the job when it has this many permits for it, and takes them back when the job ends. The job is told when
   * its permits were taken, by `performance.now()`.
   */
  schedule(lease: { readonly weight: number; readonly first: boolean }, job: (takenAt: number) => Promise<void>): void;
}

/** How leases are taken. */
export interface LeaseTerms {
  /** The most permits of one lease. Must not be above the limiter's. */
  readonly size: number;
  /** All permits of the limiter, when nobody else takes any: then no more are asked for than it has. */
  readonly permits?: number;
  /** The most permits that may be out at once, whatever the limiter grants. Default: what it grants. */
  readonly maxOut?: number;
  /** How many permits are kept in hand while nobody waits, so that a request can be sent at once. */
  readonly inHand: number;
  /**
   * How long a lease lasts, milliseconds, when it ends by itself: its permits must be done with by then. Default: it
   * does not.
   */
  readonly lifeMs?: number;
  /** How long after they were taken permits may be used, milliseconds. Default: for ever. */
  readonly usableMs?: number;
  /** How long before they can no longer be used permits in hand are replaced, milliseconds. Default 0. */
  readonly renewMs?: number;
}

interface Lease {
  readonly weight: number;
  readonly takenAt: number;
  readonly end: () => void;
}

/**
 * Bottleneck grants leases one after another, in some 2 ms each: asking for more at once would only make it a second
 * queue.
 */
const maxLeasesRequested = 4;

/** The permits of one limiter that this process has. */
export class Leases {
  readonly #terms: LeaseTerms;
  readonly #onGrant: () => void;
  #limiter: LeaseLimiter;
  /** Oldest first. */
  readonly #held = new Set<Lease>();
  /** Of all that are held. */
  #weight = 0;
  readonly #hand = new Hand();
  /** Permits of leases in {@link #held} that nothing counts any more. */
  #spare = 0;
  /** Permits that were asked for and have not been granted: for the hand, and to replace leases that end too early. */
  readonly #asked = { hand: 0, cover: 0, leases: 0 };
  #out = 0;

  /** @param onGrant told when there are more permits in hand */
  constructor(limiter: LeaseLimiter, terms: LeaseTerms, onGrant: () => void) {
    this.#limiter = limiter;
    this.#terms = terms;
    this.#onGrant = onGrant;
  }

  /** Permits that can be used now. */
  get available(): number {
    const { maxOut = Number.POSITIVE_INFINITY, usableMs } = this.#terms;
    if (usableMs !== undefined) this.#putStaleBack();
    return Math.max(0, Math.min(this.#hand.count, maxOut - this.#out));
  }

  /** The most permits of one lease, now. */
  get size(): number {
    return this.#terms.size;
  }

  /** Permits that were taken from the hand and have not been put back. */
  get out(): number {
    return this.#out;
  }

  /** Takes a permit from the hand; there must be one {@link available}. */
  take(): void {
    this.#hand.take();
    this.#out += 1;
  }

  /** Puts permits back that the exchange no longer counts, or never did. */
  putBack(count: number): void {
    this.#out -= count;
    this.#spare += count;
    this.#endLeases();
  }

  /**
   * Puts a permit back that nothing was sent with: it is in hand again at once, unless its lease may be about to end by
   * itself.
   */
  putBackUnused(): void {
    if (this.#terms.lifeMs !== undefined) {
      this.putBack(1);
      return;
    }
    this.#out -= 1;
    this.#hand.add(1, Number.POSITIVE_INFINITY);
  }

  /** Sees to it that there will be permits for so many who wait, and a few in hand; gives back what is too much. */
  want(waiting: number): void {
    const { inHand, size } = this.#terms;
    const wanted = waiting + inHand;
    const enough = waiting + Math.ceil(inHand / 2);
    const lasting = this.#lasting();
    while (lasting + this.#asked.hand < enough && this.#asked.leases < maxLeasesRequested) {
      const weight = Math.min(size, wanted - lasting - this.#asked.hand, this.#left());
      if (weight <= 0) break;
      this.#ask(weight, 'hand');
    }
    for (const { weight } of this.#held) {
      if (this.#hand.count - wanted < weight) return;
      this.#spare += this.#hand.drop(weight);
      this.#endLeases();
    }
  }

  /**
   * Takes permits without asking the limiter first: it is new, and cannot but grant them. They are in hand now, or
   * `out`.
   */
  takeFirst(count: number, to: 'hand' | 'out'): void {
    for (let left = count; left > 0; left -= this.#terms.size) {
      this.#hold(Math.min(left, this.#terms.size), performance.now(), to);
    }
  }

  /** Goes on with a new limiter, of which the permits that are held now are taken first. */
  replaceLimiter(limiter: LeaseLimiter): void {
    this.#limiter = limiter;
    Object.assign(this.#asked, { hand: 0, cover: 0, leases: 0 });
    const held = [...this.#held];
    this.#held.clear();
    this.#weight = 0;
    for (const lease of held) {
      this.#hold(lease.weight, lease.takenAt, 'held');
      lease.end();
    }
  }

  /**
   * Replaces the leases that will end before their permits have come back. False when one has ended so: then there are
   * permits that no lease stands for.
   */
  cover(now: number, earlyMs: number): boolean {
    const { lifeMs = Number.POSITIVE_INFINITY, size } = this.#terms;
    this.#putStaleBack();
    let ending = 0;
    for (const { takenAt, weight } of this.#held) {
      if (now >= takenAt + lifeMs) return false;
      if (now < takenAt + lifeMs - earlyMs) break;
      ending += weight;
    }
    for (let left = ending - this.#spare - this.#asked.cover; left > 0; left -= size)
      this.#ask(Math.min(left, size), 'cover');
    return true;
  }

  #ask(weight: number, purpose: 'hand' | 'cover'): void {
    const asked = this.#asked;
    const limiter = this.#limiter;
    asked[purpose] += weight;
    asked.leases += 1;
    limiter.schedule({ weight, first: purpose === 'cover' }, async (takenAt) => {
      if (limiter !== this.#limiter) return;
      asked[purpose] -= weight;
      asked.leases -= 1;
      const over = this.#add(weight, takenAt);
      if (purpose === 'hand') this.#hand.add(weight, takenAt + (this.#terms.usableMs ?? Number.POSITIVE_INFINITY));
      else this.#spare += weight;
      this.#endLeases();
      this.#onGrant();
      await over;
    });
  }

  #hold(weight: number, takenAt: number, to: 'hand' | 'out' | 'held'): void {
    const over = this.#add(weight, takenAt);
    if (to === 'hand') this.#hand.add(weight, Number.POSITIVE_INFINITY);
    if (to === 'out') this.#out += weight;
    this.#limiter.schedule({ weight, first: true }, () => over);
  }

  /** Resolves when the lease is over. */
  #add(weight: number, takenAt: number): Promise<void> {
    this.#weight += weight;
    return new Promise((end) => {
      this.#held.add({ weight, takenAt, end });
    });
  }

  /**
   * Permits that the limiter has left, as far as is known. A lease of more would wait for all of them while some lie
   * idle.
   */
  #left(): number {
    return (this.#terms.permits ?? Number.POSITIVE_INFINITY) - this.#weight - this.#asked.hand - this.#asked.cover;
  }

  /** Permits in hand that need not be replaced yet. */
  #lasting(): number {
    const { usableMs, renewMs = 0 } = this.#terms;
    return usableMs === undefined ? this.#hand.count : this.#hand.countUsableAt(performance.now() + renewMs);
  }

  #putStaleBack(): void {
    const stale = this.#hand.dropStale(performance.now());
    if (stale === 0) return;
    this.#spare += stale;
    this.#endLeases();
  }

  #endLeases(): void {
    for (const lease of this.#held) {
      if (lease.weight > this.#spare) break;
      this.#spare -= lease.weight;
      this.#weight -= lease.weight;
      this.#held.delete(lease);
      lease.end();
    }
    // What is too little to end a lease can be used again, unless its lease may be about to end by itself.
    if (this.#terms.lifeMs !== undefined) return;
    this.#hand.add(this.#spare, Number.POSITIVE_INFINITY);
    this.#spare = 0;
  }
}

/** Permits in hand, oldest first. */
class Hand {
  readonly #batches: { count: number; readonly usableUntil: number }[] = [];
  count = 0;

  add(count: number, usableUntil: number): void {
    if (count === 0) return;
    this.count += count;
    const last = this.#batches.at(-1);
    if (last?.usableUntil === usableUntil) last.count += count;
    else this.#batches.push({ count, usableUntil });
  }

  take(): void {
    this.drop(1);
  }

  /** Takes the oldest out; tells how many there were. */
  drop(count: number): number {
    let left = Math.min(count, this.count);
    const dropped = left;
    this.count -= dropped;
    while (left > 0) {
      const [oldest] = this.#batches;
      if (oldest === undefined) break;
      const taken = Math.min(left, oldest.count);
      oldest.count -= taken;
      left -= taken;
      if (oldest.count === 0) this.#batches.shift();
    }
    return dropped;
  }

  dropStale(now: number): number {
    return this.drop(this.count - this.countUsableAt(now));
  }

  countUsableAt(time: number): number {
    let stale = 0;
    for (const { count, usableUntil } of this.#batches) {
      if (time < usableUntil) break;
      stale += count;
    }
    return this.count - stale;
  }
}
