// The permits of one rate limit. Bottleneck is the authority on them. A lease is one Bottleneck job whose weight is its
// number of permits, and which ends when the exchange no longer counts that many: Bottleneck is fast enough only with one
// job per lease instead of one per request. All permits are equal: whichever return, the oldest lease ends.
import Bottleneck from 'bottleneck';

/**
 * Bottleneck grants 400 leases per second: a limit of 10000 permits in 10 s takes eight a second of this size. Those of a
 * larger limit are this share of it.
 */
const maxLease = { size: 128, share: 1 / 80 };
/** Permits that are kept in hand while no request waits, so that the next request is sent at once. */
const inHandBounds = { min: 16, max: 1024, share: 1 / 40 };
/** Bottleneck grants one lease after another, in about 2 ms each: more requests would only wait in a second queue. */
const maxLeasesRequested = 4;
/** A smaller step of the wall clock delays a lease by a negligible time; NTP slews a clock by less. */
const minClockStepMs = 250;

interface Lease {
  readonly weight: number;
  readonly end: () => void;
}

export class Leases {
  readonly #permits: number;
  readonly #reserved: number;
  readonly #onGrant: () => void;
  readonly #size: number;
  readonly #inHand: number;
  #limiter: Bottleneck;
  /** Oldest first. */
  readonly #held = new Set<Lease>();
  #available: number;
  #out = 0;
  /** What was requested and not granted yet. */
  #requested = { permits: 0, leases: 0 };
  #clockOffset = wallClockOffset();

  /**
   * @param reserved how many permits stay in hand while others wait, for urgent requests
   * @param onGrant called when more permits are available
   */
  constructor(permits: number, reserved: number, onGrant: () => void) {
    const { min, max, share } = inHandBounds;
    this.#permits = permits;
    this.#reserved = reserved;
    this.#onGrant = onGrant;
    this.#size = Math.min(permits, Math.max(maxLease.size, Math.floor(permits * maxLease.share)));
    this.#inHand = Math.min(permits - reserved, max, Math.max(min, Math.floor(permits * share)));
    this.#limiter = new Bottleneck({ maxConcurrent: permits });
    this.#available = this.#inHand + reserved;
    this.#takeFirst(this.#available);
  }

  get available(): number {
    return this.#available;
  }

  take(): void {
    this.#out += 1;
    this.#available -= 1;
  }

  /** @param isUnused whether they can be used again at once, because their requests were not sent */
  putBack(count: number, isUnused = false): void {
    this.#out -= count;
    this.#available += count;
    if (!isUnused) this.#endLeases(Math.min(count, this.#available - this.#reserved));
  }

  /**
   * Requests permits for this many waiting requests and a few for the next ones, and returns what is too much. Called at
   * least once a second while a request waits.
   */
  want(waiting: number): void {
    this.#checkClock();
    const wanted = waiting + this.#reserved + this.#inHand;
    const enough = waiting + this.#reserved + Math.ceil(this.#inHand / 2);
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

  /**
   * Bottleneck uses the wall clock: when it is set back, jobs wait until it has caught up, for minutes or hours. Then
   * another limiter takes over, with the permits that are out.
   */
  #checkClock(): void {
    const step = wallClockOffset() - this.#clockOffset;
    if (Math.abs(step) >= minClockStepMs) this.#clockOffset += step;
    if (step > -minClockStepMs) return;
    const held = [...this.#held];
    this.#limiter = new Bottleneck({ maxConcurrent: this.#permits });
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
      this.#schedule(weight, () => over);
    }
  }

  #request(weight: number): void {
    const requested = this.#requested;
    requested.permits += weight;
    requested.leases += 1;
    this.#schedule(weight, async () => {
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

  /** Runs the job when this many permits are free, and takes them back when it ends. */
  #schedule(weight: number, job: () => Promise<void>): void {
    // A job fails only by a subscriber that overflows the stack: its permits count as held all the same.
    this.#limiter.schedule({ weight }, job).catch(() => undefined);
  }

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

function wallClockOffset(): number {
  return Date.now() - performance.now();
}
