// The permits of a limit that no other process uses. Bottleneck is the authority on them. A lease is one Bottleneck job
// whose weight is its number of permits, and which ends when the exchange no longer counts that many: Bottleneck is fast
// enough only with one job per lease instead of one per request. All permits are equal: whichever return, the oldest
// lease ends.
import Bottleneck from 'bottleneck';
import type { Permits, PermitSource, PermitTerms } from './permit.js';

/** Bottleneck grants 400 leases per second: 1000 permits per second take eight of this size. */
const maxLeaseSize = 128;
/** Permits that are kept in hand while no request waits, so that the next request is sent at once. */
const inHandBounds = { min: 16, max: 1024, share: 1 / 40 };
/** Bottleneck grants one lease after another, in about 2 ms each: more requests would only wait in a second queue. */
const maxLeasesRequested = 4;
/** A smaller step of the wall clock delays a lease by a negligible time; NTP slews a clock by less. */
const minClockStepMs = 250;

/** What leases need of Bottleneck. */
export interface LeaseLimiter {
  /** Runs the job when this many permits are free, and takes them back when it ends. The first leases come first. */
  schedule(lease: { readonly weight: number; readonly isFirst: boolean }, job: () => Promise<void>): void;
}

interface Lease {
  readonly weight: number;
  readonly end: () => void;
}

/** The permits of one limiter that this process holds. */
export class Leases implements Permits {
  readonly #open: () => LeaseLimiter;
  readonly #permits: number;
  readonly #onGrant: () => void;
  readonly #size: number;
  readonly #inHand: number;
  #limiter: LeaseLimiter;
  /** Oldest first. */
  readonly #held = new Set<Lease>();
  #available = 0;
  #out = 0;
  /** What was requested and not granted yet. */
  #requested = { permits: 0, leases: 0 };

  /**
   * @param open makes a limiter of this many permits
   * @param onGrant called when more permits are available
   */
  constructor(open: () => LeaseLimiter, permits: number, onGrant: () => void) {
    const { min, max, share } = inHandBounds;
    this.#open = open;
    this.#permits = permits;
    this.#onGrant = onGrant;
    this.#size = Math.min(maxLeaseSize, permits);
    this.#inHand = Math.min(permits, max, Math.max(min, Math.floor(permits * share)));
    this.#limiter = open();
    this.#available = this.#inHand;
    this.#takeFirst(this.#available);
  }

  get available(): number {
    return this.#available;
  }

  get out(): number {
    return this.#out;
  }

  take(): number {
    this.#out += 1;
    this.#available -= 1;
    return Number.POSITIVE_INFINITY;
  }

  putBack(count: number, isUnused = false): void {
    this.#out -= count;
    this.#available += count;
    if (!isUnused) this.#endLeases(count);
  }

  want(waiting: number): void {
    const wanted = waiting + this.#inHand;
    const enough = waiting + Math.ceil(this.#inHand / 2);
    const requested = this.#requested;
    while (this.#available + requested.permits < enough && requested.leases < maxLeasesRequested) {
      // A larger lease than the limiter has permits for would wait while they are idle.
      const held = this.#available + this.#out + requested.permits;
      const weight = Math.min(this.#size, wanted - this.#available - requested.permits, this.#permits - held);
      if (weight <= 0) break;
      this.#request(weight);
    }
    this.#endLeases(this.#available - wanted);
  }

  /** Replaces the limiter. Of the permits that are held, only those that are out are taken from the new one. */
  restart(): void {
    const held = [...this.#held];
    this.#limiter = this.#open();
    this.#requested = { permits: 0, leases: 0 };
    this.#held.clear();
    this.#available = 0;
    this.#takeFirst(this.#out);
    for (const lease of held) lease.end();
  }

  /** Takes permits of a new limiter, which is certain to grant them, without waiting. */
  #takeFirst(permits: number): void {
    for (let left = permits; left > 0; left -= this.#size) {
      const weight = Math.min(left, this.#size);
      const over = this.#hold(weight);
      this.#limiter.schedule({ weight, isFirst: true }, () => over);
    }
  }

  #request(weight: number): void {
    const requested = this.#requested;
    requested.permits += weight;
    requested.leases += 1;
    this.#limiter.schedule({ weight, isFirst: false }, async () => {
      // Granted by a limiter that was replaced.
      if (requested !== this.#requested) return;
      requested.permits -= weight;
      requested.leases -= 1;
      this.#available += weight;
      const over = this.#hold(weight);
      this.#onGrant();
      await over;
    });
  }

  /** Resolves when the lease ends. */
  #hold(weight: number): Promise<void> {
    return new Promise((end) => {
      this.#held.add({ weight, end });
    });
  }

  /** Ends the oldest leases with at most this many of the available permits. */
  #endLeases(permits: number): void {
    let left = permits;
    for (const lease of this.#held) {
      const { weight } = lease;
      if (weight > left) return;
      left -= weight;
      this.#available -= weight;
      this.#held.delete(lease);
      lease.end();
    }
  }
}

/**
 * Permits that are not shared with other processes: one Bottleneck for all requests, and one for the reserve of urgent
 * requests.
 */
export function localSource({ limit, reserved }: PermitTerms, onGrant: () => void): PermitSource {
  const open = (permits: number) => new Leases(() => localLimiter(permits), permits, onGrant);
  const main = open(limit - reserved);
  const reserve = reserved === 0 ? undefined : open(reserved);
  let clockOffset = wallClockOffset();
  return {
    main,
    reserve,
    free: () => limit - main.out - (reserve?.out ?? 0),
    // Bottleneck uses the wall clock: when it is set back, jobs wait until it has caught up, for minutes or hours.
    check() {
      const step = wallClockOffset() - clockOffset;
      if (Math.abs(step) >= minClockStepMs) clockOffset += step;
      if (step > -minClockStepMs) return;
      main.restart();
      reserve?.restart();
      onGrant();
    },
  };
}

function wallClockOffset(): number {
  return Date.now() - performance.now();
}

function localLimiter(permits: number): LeaseLimiter {
  const limiter = new Bottleneck({ maxConcurrent: permits });
  return {
    schedule({ weight, isFirst }, job) {
      // A job fails only by a subscriber that overflows the stack: its permits count as held all the same.
      limiter.schedule({ weight, priority: isFirst ? 0 : 5 }, job).catch(() => undefined);
    },
  };
}
