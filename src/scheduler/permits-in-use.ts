// The permits of one rate limit that are in use. A permit is in use from before its request is sent until one window
// and a guard after the response: by then the exchange has forgotten the request, whatever the latency was.
import type { Leases } from './leases.js';
import type { PermitTerms } from './permit-source.js';
import { Rate } from './rate.js';
import { forgetMsOf, Returns } from './returns.js';

/**
 * The outcome of the request that a permit was used for:
 * - `unsent`: the request was not sent; the permit is free at once.
 * - `responded`: the exchange has counted the request, and forgets it one window later.
 * - `rate-limited`: as `responded`, but with status 429, which starts a cool-down.
 * - `unknown`: the request may still arrive; the permit is held for `lateArrivalMs` longer. Any other word counts as
 *   `unknown`.
 */
export type PermitUse = 'unsent' | 'responded' | 'rate-limited' | 'unknown';

export class PermitsInUse {
  readonly #forgetMs: number;
  readonly #lateArrivalMs: number;
  readonly #returns: Returns<Leases>;
  readonly #rate = new Rate();
  #count = 0;

  /** @param onReturn permits have returned */
  constructor({ windowMs, lateArrivalMs }: PermitTerms, onReturn: () => void) {
    this.#forgetMs = forgetMsOf(windowMs);
    this.#lateArrivalMs = lateArrivalMs;
    this.#returns = new Returns(windowMs, (slot) => {
      for (const [leases, count] of slot) {
        this.#count -= count;
        leases.putBack(count);
      }
      onReturn();
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

  take(leases: Leases, now: number): void {
    leases.take();
    this.#count += 1;
    this.#rate.count(now);
  }

  /** Puts a permit back when its request no longer counts. A permit that was not used is free at once. */
  putBack(leases: Leases, use: PermitUse): void {
    switch (use) {
      case 'unsent':
        this.#count -= 1;
        leases.putBackUnused();
        return;
      case 'rate-limited':
      case 'responded':
        this.#returns.after(this.#forgetMs, leases);
        return;
      // Callers without types may pass any other word: the request may have been sent.
      default:
        this.#returns.after(this.#forgetMs + this.#lateArrivalMs, leases);
    }
  }
}
