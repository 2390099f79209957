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
  readonly #hand = new Hand();
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
    if (usableMs !== undefined) this.#putStaleBack();
    return Math.max(0, Math.min(this.#hand.count, maxOut - this.#out));
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
    this.#out += 1;
    return this.#hand.take();
  }

  /** Puts back permits that the exchange no longer counts, or never did. */
  putBack(count: number): void {
    this.#out -= count;
    this.#spare += count;
    this.#endLeases();
  }

  /** Puts back the permits in hand. */
  putHandBack(): void {
    this.#spare += this.#hand.drop(this.#hand.count);
    this.#endLeases();
  }

  /** Puts back a permit whose request was not sent: it is in hand again at once, unless its lease may soon expire. */
  putBackUnused(): void {
    if (this.#terms.lifeMs !== undefined) {
      this.putBack(1);
      return;
    }
    this.#out -= 1;
    this.#hand.add(1, Number.POSITIVE_INFINITY);
  }

  /** Requests permits for this many waiting requests and a few for the hand, and returns what is too much. */
  want(waiting: number): void {
    if (this.#terms.mayRequest?.(waiting) === false) return;
    const { inHand, size } = this.#terms;
    const wanted = waiting + inHand;
    const enough = waiting + Math.ceil(inHand / 2);
    const lasting = this.#lasting();
    while (lasting + this.#requested.permits < enough && this.#requested.leases < maxLeasesRequested) {
      const weight = Math.min(size, wanted - lasting - this.#requested.permits, this.#left());
      if (weight <= 0) break;
      this.#request(weight);
    }
    if (this.#hand.count <= wanted) return;
    for (const { weight } of this.#held) {
      if (this.#hand.count - wanted < weight) return;
      this.#spare += this.#hand.drop(weight);
      this.#endLeases();
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
    this.#putStaleBack();
    for (const lease of this.#held) {
      if (now >= lease.takenAt + lifeMs) return false;
      const usableUntil = lease.takenAt + usableMs;
      const isOld = now >= lease.takenAt + lifeMs - withinMs;
      const hasOldInHand = now >= usableUntil - renewMs && this.#hand.has(usableUntil);
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
        const inHand = this.#hand.dropOf(lease.takenAt + usableMs, lease.weight);
        lease.takenAt = takenAt;
        lease.isExtending = false;
        this.#held.add(lease);
        // A lease ends as a whole. Its permits that have returned last as long as those of a new lease.
        const returned = Math.min(this.#spare, lease.weight - inHand);
        this.#spare -= returned;
        this.#addToHand(inHand + returned, takenAt);
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
      this.#addToHand(weight, grant.takenAt);
      await over;
    });
  }

  /** Permits of a lease that was taken, or extended, at this time. */
  #addToHand(count: number, takenAt: number): void {
    this.#hand.add(count, takenAt + (this.#terms.usableMs ?? Number.POSITIVE_INFINITY));
    this.#onGrant();
  }

  #hold(weight: number, takenAt: number, to: 'hand' | 'out' | 'held'): void {
    const over = this.#add(weight, { takenAt });
    if (to === 'hand') this.#hand.add(weight, Number.POSITIVE_INFINITY);
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

  /** The free permits of the limiter, as far as is known. A larger lease would wait while they are idle. */
  #left(): number {
    return (this.#terms.permits ?? Number.POSITIVE_INFINITY) - this.#weight - this.#requested.permits;
  }

  /** Permits in hand that need no replacement yet. */
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
    // Permits that are too few to end a lease can be used again, unless their lease may soon expire.
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

  /** Removes the oldest permit; returns until when it may be used. */
  take(): number {
    const usableUntil = this.#batches[0]?.usableUntil ?? Number.POSITIVE_INFINITY;
    this.drop(1);
    return usableUntil;
  }

  /** Removes the oldest permits; returns how many there were. */
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

  /** Whether there are permits that may be used until this time. */
  has(usableUntil: number): boolean {
    return this.#batches.some((batch) => batch.usableUntil === usableUntil);
  }

  /** Removes at most this many permits that may be used until this time; returns how many there were. */
  dropOf(usableUntil: number, count: number): number {
    const index = this.#batches.findIndex((one) => one.usableUntil === usableUntil);
    const batch = this.#batches[index];
    if (batch === undefined) return 0;
    const dropped = Math.min(count, batch.count);
    batch.count -= dropped;
    this.count -= dropped;
    if (batch.count === 0) this.#batches.splice(index, 1);
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
