// The permits of one rate limit that are in use. A permit is in use from before its request is sent until one window
// and a guard after the response: by then the exchange has forgotten the request, whatever the latency was.
import { throwError, type Subscriber } from 'rxjs';
import type { CoolDown } from './cool-down.js';
import type { InFlight } from './in-flight.js';
import type { Leases } from './leases.js';
import type { PermitTerms } from './permit-source.js';
import { Rate } from './rate.js';
import { forgetMsOf, Returns } from './returns.js';
import type { Waiter } from './client-queue.js';

/**
 * The outcome of the request that a permit was used for:
 * - `unsent`: the request was not sent; the permit is free at once.
 * - `responded`: the exchange has counted the request, and forgets it one window later.
 * - `rate-limited`: as `responded`, but with status 429, which starts a cool-down.
 * - `unknown`: the request may still arrive; the permit is held for `lateArrivalMs` longer. Any other word counts as
 *   `unknown`.
 */
export type PermitUse = 'unsent' | 'responded' | 'rate-limited' | 'unknown';

/** The right to send one request. */
export interface Permit {
  /**
   * Releases the permit. Later calls do nothing. A permit that is garbage-collected without a release counts as
   * `unknown`.
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
  readonly leases: Leases;
  /** The number of the probe, when the request is one. */
  readonly probe: number | undefined;
  /** {@link CoolDown.starts} and {@link CoolDown.incidents} when the permit was granted. */
  readonly coolDowns: number;
  readonly incidents: number;
  isReleased: boolean;
}

/** What the release of permits leads to. */
export interface PermitsInUseHooks {
  /** There are permits to grant. */
  readonly onAvailable: () => void;
  /** A request was responded to with 429. `since`: the incidents when it was sent. */
  readonly onRateLimited: (retryAfterMs: number | undefined, since: number) => void;
  /** A probe was responded to, with something other than 429. */
  readonly onProbeResponse: () => void;
}

export class PermitsInUse {
  readonly #lateArrivalMs: number;
  readonly #forgetMs: number;
  readonly #coolDown: CoolDown;
  readonly #hooks: PermitsInUseHooks;
  readonly #returns: Returns<Leases>;
  readonly #rate = new Rate();
  #count = 0;
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

  constructor({ windowMs, lateArrivalMs }: PermitTerms, coolDown: CoolDown, hooks: PermitsInUseHooks) {
    this.#lateArrivalMs = lateArrivalMs;
    this.#forgetMs = forgetMsOf(windowMs);
    this.#coolDown = coolDown;
    this.#hooks = hooks;
    this.#returns = new Returns(windowMs, (slot) => {
      for (const [leases, count] of slot) {
        this.#count -= count;
        leases.putBack(count);
      }
      hooks.onAvailable();
    });
  }

  get count(): number {
    return this.#count;
  }

  /** Permits granted in the last second. */
  ratePerSecond(now: number): number {
    return this.#rate.perSecond(now);
  }

  /** Counts the permits of the leases that are out as used by requests that were sent just now and may arrive late. */
  assumeSent(leases: Leases): void {
    this.#count += leases.out;
    this.#returns.after(this.#forgetMs + this.#lateArrivalMs, leases, leases.out);
  }

  /** Emits a permit of these leases to the request. */
  grant({ arrival, client, priority, subscriber }: PermitRequest, leases: Leases, isProbe: boolean): void {
    leases.take();
    this.#count += 1;
    const now = performance.now();
    this.#rate.count(now);
    const probe = isProbe ? this.#coolDown.startProbe(now) : undefined;
    client.enter();
    const { starts: coolDowns, incidents } = this.#coolDown;
    const grant: Grant = { arrival, client, priority, leases, probe, coolDowns, incidents, isReleased: false };
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

  /** The turn that a request inherits, when it is made by a subscriber that released its permit unsent just now. */
  takeTurnOf({ client, priority }: PermitRequest): Waiter | undefined {
    const turn = this.#turnLeft;
    if (turn?.client !== client || turn.priority !== priority) return undefined;
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
    const { client, probe, coolDowns } = grant;
    if (use === 'unsent' && this.#granting === grant) this.#turnLeft = grant;
    if (use === 'unsent' && probe !== undefined) this.#coolDown.cancelProbe(probe);
    this.#putBack(grant, use, retryAfterMs);
    if (use === 'responded' && probe !== undefined && coolDowns === this.#coolDown.starts)
      this.#hooks.onProbeResponse();
    client.leave();
  }

  #putBack({ leases, incidents }: Grant, use: PermitUse, retryAfterMs: number | undefined): void {
    switch (use) {
      case 'unsent':
        this.#count -= 1;
        leases.putBackUnused();
        this.#hooks.onAvailable();
        return;
      case 'rate-limited':
        this.#hooks.onRateLimited(retryAfterMs, incidents);
        this.#returns.after(this.#forgetMs, leases);
        return;
      case 'responded':
        this.#returns.after(this.#forgetMs, leases);
        return;
      // Callers without types may pass any other word: the request may have been sent.
      default:
        this.#returns.after(this.#forgetMs + this.#lateArrivalMs, leases);
    }
  }
}
