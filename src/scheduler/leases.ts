// Permits in hand. Bottleneck is the authority on permits. A lease is one Bottleneck job whose weight is its number of
// permits, and which ends when the exchange no longer counts that many. Bottleneck is fast enough only with one job per
// lease instead of one per request. All permits are equal: whichever return, the oldest lease ends.

/** What Bottleneck has granted. */
export interface Grant {
  /** When the permits were taken, by `performance.now()`. */
  readonly takenAt: number;
  /**
   * Makes a lease that expires last for a whole life from now on. Resolves to now, or to `undefined` when it failed:
   * the limiter has reported that. A lease that never expires has none.
   */
  readonly extend?: () => Promise<number | undefined>;
}

/** What leases need of Bottleneck. */
export interface LeaseLimiter {
  /** Starts the job when this many permits are free, and takes them back when the job ends. */
  schedule(lease: { readonly weight: number; readonly first: boolean }, job: (grant: Grant) => Promise<void>): void;
}

/** The sizes and times of leases. */
export interface LeaseTerms {
  /** Maximum number of permits of one lease. Must not exceed the permits of the limiter. */
  readonly size: number;
  /** The permits of the limiter, when no other process takes any: no more are requested. */
  readonly permits?: number;
  /** How many permits may be out at once, whatever the limiter grants. Default: no bound. */
  readonly maxOut?: number;
  /** How many permits are kept in hand while no request waits, so that the next request can be sent at once. */
  readonly inHand: number;
  /** A lease expires after this time, milliseconds: its permits must have returned by then. Default: never. */
  readonly lifeMs?: number;
  /** For how long permits may be used after they were taken, milliseconds. Default: no bound. */
  readonly usableMs?: number;
  /** How long before that time permits in hand are replaced, milliseconds. Default 0. */
  readonly renewMs?: number;
  /** Whether permits may be requested now, when this many requests wait. Default: always. */
  readonly mayRequest?: (waiting: number) => boolean;
}

interface Lease extends Grant {
  readonly weight: number;
  takenAt: number;
  isExtending: boolean;
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
  /** Oldest first. */
  readonly #hand: { count: number; readonly usableUntil: number }[] = [];
  #inHand = 0;
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
    const { usableMs, maxOut = Number.POSITIVE_INFINITY } = this.#terms;
    if (usableMs !== undefined) this.putHandBack(this.#staleAt(performance.now()));
    return Math.max(0, Math.min(this.#inHand, maxOut - this.#out));
  }

  /** Maximum number of permits of one lease, now. */
  get size(): number {
    return this.#terms.size;
  }

  /** Permits that were taken and not put back. */
  get out(): number {
    return this.#out;
  }

  /** Permits that were requested and not granted yet. */
  get requested(): number {
    return this.#requested.permits;
  }

  /** Takes a permit, when one is {@link available}. Returns until when it may be used, by `performance.now()`. */
  take(): number | undefined {
    if (this.available === 0) return undefined;
    const usableUntil = this.#hand[0]?.usableUntil;
    this.#out += 1;
    this.#drop(1);
    return usableUntil;
  }

  /** Puts back permits that the exchange no longer counts, or never did. */
  putBack(count: number): void {
    this.#out -= count;
    this.#spare += count;
    this.#endLeases();
  }

  /** Puts back the oldest permits in hand, by default all. */
  putHandBack(count = this.#inHand): void {
    if (count === 0) return;
    this.#drop(count);
    this.#spare += count;
    this.#endLeases();
  }

  /** Puts back a permit whose request was not sent: it is in hand again at once, unless its lease may soon expire. */
  putBackUnused(): void {
    if (this.#terms.lifeMs !== undefined) {
      this.putBack(1);
      return;
    }
    this.#out -= 1;
    this.#keep(1);
  }

  /** Requests permits for this many waiting requests and a few for the hand, and returns what is too much. */
  want(waiting: number): void {
    if (this.#terms.mayRequest?.(waiting) === false) return;
    const { inHand, size, usableMs, renewMs = 0, permits = Number.POSITIVE_INFINITY } = this.#terms;
    const wanted = waiting + inHand;
    const enough = waiting + Math.ceil(inHand / 2);
    // Permits in hand that need no replacement yet.
    const lasting = this.#inHand - (usableMs === undefined ? 0 : this.#staleAt(performance.now() + renewMs));
    while (lasting + this.#requested.permits < enough && this.#requested.leases < maxLeasesRequested) {
      // A lease that is larger than what the limiter has left would wait while that is idle.
      const left = permits - this.#weight - this.#requested.permits;
      const weight = Math.min(size, wanted - lasting - this.#requested.permits, left);
      if (weight <= 0) break;
      this.#request(weight);
    }
    if (this.#inHand <= wanted) return;
    for (const { weight } of this.#held) {
      if (this.#inHand - wanted < weight) return;
      this.putHandBack(weight);
    }
  }

  /** Takes permits of a new limiter, which is certain to grant them, without waiting. They are in hand or `out` now. */
  takeFirst(count: number, to: 'hand' | 'out'): void {
    for (let left = count; left > 0; left -= this.#terms.size) {
      this.#hold(Math.min(left, this.#terms.size), performance.now(), to);
    }
  }

  /** Replaces the limiter. The permits that are held now are taken from the new one first. */
  replaceLimiter(limiter: LeaseLimiter): void {
    this.#limiter = limiter;
    Object.assign(this.#requested, { permits: 0, leases: 0 });
    const held = [...this.#held];
    this.#held.clear();
    this.#weight = 0;
    for (const lease of held) {
      this.#hold(lease.weight, lease.takenAt, 'held');
      lease.end();
    }
  }

  /**
   * Extends the leases that expire within `withinMs`, because their permits are still out, and those with permits in hand
   * that become too old within `renewMs`. Takes no permits, because all may be out. Returns false when a lease has
   * expired: then permits are out that no lease covers.
   */
  extend(now: number, withinMs: number, renewMs = 0): boolean {
    const { lifeMs = Number.POSITIVE_INFINITY, usableMs = lifeMs } = this.#terms;
    this.putHandBack(this.#staleAt(now));
    for (const lease of this.#held) {
      if (now >= lease.takenAt + lifeMs) return false;
      const usableUntil = lease.takenAt + usableMs;
      const isOld = now >= lease.takenAt + lifeMs - withinMs;
      const hasOldInHand = now >= usableUntil - renewMs && this.#batchOf(usableUntil) !== undefined;
      if ((isOld || hasOldInHand) && !lease.isExtending) this.#extend(lease);
    }
    return true;
  }

  #extend(lease: Lease): void {
    lease.isExtending = true;
    lease.extend?.().then(
      (takenAt) => {
        if (takenAt === undefined || !this.#held.delete(lease)) return;
        const { usableMs = Number.POSITIVE_INFINITY } = this.#terms;
        const batch = this.#batchOf(lease.takenAt + usableMs);
        const inHand = Math.min(batch?.count ?? 0, lease.weight);
        this.#inHand -= inHand;
        if (batch !== undefined) batch.count -= inHand;
        if (batch?.count === 0) this.#hand.splice(this.#hand.indexOf(batch), 1);
        lease.takenAt = takenAt;
        lease.isExtending = false;
        this.#held.add(lease);
        // A lease ends as a whole. Its permits that have returned last as long as those of a new lease.
        const returned = Math.min(this.#spare, lease.weight - inHand);
        this.#spare -= returned;
        this.#keep(inHand + returned, takenAt);
        this.#onGrant();
      },
      () => undefined,
    );
  }

  #request(weight: number): void {
    const requested = this.#requested;
    const limiter = this.#limiter;
    requested.permits += weight;
    requested.leases += 1;
    limiter.schedule({ weight, first: false }, async (grant) => {
      if (limiter !== this.#limiter) return;
      requested.permits -= weight;
      requested.leases -= 1;
      const over = this.#add(weight, grant);
      this.#keep(weight, grant.takenAt);
      this.#onGrant();
      await over;
    });
  }

  /** Adds permits of a lease that was taken, or extended, at this time to the hand. */
  #keep(count: number, takenAt = Number.POSITIVE_INFINITY): void {
    if (count === 0) return;
    const usableUntil = takenAt + (this.#terms.usableMs ?? Number.POSITIVE_INFINITY);
    this.#inHand += count;
    const last = this.#hand.at(-1);
    if (last?.usableUntil === usableUntil) last.count += count;
    else this.#hand.push({ count, usableUntil });
  }

  /** Removes the oldest permits of the hand. */
  #drop(count: number): void {
    this.#inHand -= count;
    for (let left = count; left > 0;) {
      const [oldest] = this.#hand;
      if (oldest === undefined) break;
      const dropped = Math.min(left, oldest.count);
      oldest.count -= dropped;
      left -= dropped;
      if (oldest.count === 0) this.#hand.shift();
    }
  }

  /** The permits in hand that may be used until this time. */
  #batchOf(usableUntil: number) {
    return this.#hand.find((batch) => batch.usableUntil === usableUntil);
  }

  /** How many of the permits in hand may no longer be used at this time. */
  #staleAt(time: number): number {
    let stale = 0;
    for (const { count, usableUntil } of this.#hand) {
      if (time < usableUntil) break;
      stale += count;
    }
    return stale;
  }

  #hold(weight: number, takenAt: number, to: 'hand' | 'out' | 'held'): void {
    const over = this.#add(weight, { takenAt });
    if (to === 'hand') this.#keep(weight, takenAt);
    if (to === 'out') this.#out += weight;
    this.#limiter.schedule({ weight, first: true }, () => over);
  }

  /** Resolves when the lease ends. */
  #add(weight: number, grant: Grant): Promise<void> {
    this.#weight += weight;
    return new Promise((end) => {
      this.#held.add({ ...grant, weight, isExtending: false, end });
    });
  }

  #endLeases(): void {
    for (const lease of this.#held) {
      if (lease.weight > this.#spare) break;
      this.#spare -= lease.weight;
      this.#weight -= lease.weight;
      this.#held.delete(lease);
      lease.end();
    }
    // Permits that are too few to end a lease can be used again, unless their lease may soon expire.
    if (this.#terms.lifeMs !== undefined) return;
    this.#keep(this.#spare);
    this.#spare = 0;
  }
}
