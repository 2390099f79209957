// Granted permits. A grant holds one permit of each rate limit that its request needs: they are taken together, before
// the permit is emitted, and released together.
import { throwError, type Subscriber } from 'rxjs';
import type { Waiter } from './client-queue.js';
import type { InFlight } from './in-flight.js';
import type { PermitUse } from './permits-in-use.js';
import type { RateLimiter, TakenPermit } from './rate-limiter.js';

/** The right to send one request. */
export interface Permit {
  /**
   * Releases the permit: of all rate limits for which it was requested. Later calls do nothing. A permit that is
   * garbage-collected without a release counts as `unknown`.
   *
   * @param retryAfterMs the exchange's `Retry-After` after a 429, milliseconds, 0 or more. Default, also for an invalid
   *   value: one window.
   */
  release(use: PermitUse, retryAfterMs?: number): void;
}

/** A request for a permit. */
export interface PermitRequest extends Waiter {
  readonly endpoint: string;
  readonly client: InFlight;
  readonly maxWaitMs: number | undefined;
  readonly subscriber: Subscriber<Permit>;
}

/** A granted permit. It must not reference its owner: an owner that was garbage-collected would never be noticed. */
interface Grant extends Waiter {
  readonly client: InFlight;
  readonly taken: readonly TakenPermit[];
  isReleased: boolean;
}

export class Grants {
  readonly #onAvailable: (taken: readonly TakenPermit[]) => void;
  /** A permit whose owner threw or lost it returns by itself: its request may have been sent. */
  readonly #lost = new FinalizationRegistry<Grant>((grant) => {
    this.#release(grant, 'unknown');
  });
  /** The permit that is being emitted to its subscriber. */
  #granting: Grant | undefined;
  /**
   * The permit that its subscriber released unsent while it was emitted: a request made at that moment has its turn.
   */
  #turnLeft: Grant | undefined;

  /** @param onAvailable these permits were released unsent */
  constructor(onAvailable: (taken: readonly TakenPermit[]) => void) {
    this.#onAvailable = onAvailable;
  }

  /** Emits a permit to the request. */
  grant({ arrival, client, priority, subscriber }: PermitRequest, taken: readonly TakenPermit[]): void {
    client.enter();
    const grant: Grant = { arrival, client, priority, taken, isReleased: false };
    this.#granting = grant;
    try {
      subscriber.next(this.#permitOf(grant));
      subscriber.complete();
    } catch (error) {
      // The subscriber may have sent its request before it threw.
      this.#release(grant, 'unknown');
      throwError(() => error).subscribe();
    } finally {
      this.#granting = undefined;
      this.#turnLeft = undefined;
    }
  }

  /**
   * The turn that a request inherits: it is made by a subscriber that released its permit unsent just now, and needs at
   * least the same rate limits.
   */
  takeTurnOf({ client, priority }: PermitRequest, limiters: readonly RateLimiter[]): Waiter | undefined {
    const turn = this.#turnLeft;
    if (turn?.client !== client || turn.priority !== priority) return undefined;
    if (!turn.taken.every(({ limiter }) => limiters.includes(limiter))) return undefined;
    this.#turnLeft = undefined;
    return turn;
  }

  #permitOf(grant: Grant): Permit {
    const release = (use: PermitUse, retryAfterMs?: number) => {
      this.#release(grant, use, retryAfterMs);
    };
    this.#lost.register(release, grant, grant);
    return { release };
  }

  #release(grant: Grant, use: PermitUse, retryAfterMs?: number): void {
    if (grant.isReleased) return;
    grant.isReleased = true;
    this.#lost.unregister(grant);
    const { client, taken } = grant;
    if (use === 'unsent' && this.#granting === grant) this.#turnLeft = grant;
    for (const one of taken) one.limiter.putBack(one, use);
    if (use === 'unsent') this.#onAvailable(taken);
    if (use === 'responded') for (const one of taken) one.limiter.endProbe(one);
    if (use === 'rate-limited') {
      coolDown(taken, retryAfterMs);
      // What was kept for requests that lack one of these permits is not kept during a cool-down.
      this.#onAvailable(taken);
    }
    client.leave();
  }
}

/** A 429 does not say which limit was exceeded: all cool down, before a listener can request a permit. */
function coolDown(taken: readonly TakenPermit[], retryAfterMs: number | undefined): void {
  const started = taken.map(({ limiter, incidents }) => ({
    limiter,
    ms: limiter.startCoolDown(retryAfterMs, incidents),
  }));
  for (const { limiter, ms } of started) limiter.announceCoolDown(ms);
}
