// The usage of each rate limit, for dashboards and logs.
import type { Priority } from '../endpoint/index.js';
import { Observable, ReplaySubject, share } from 'rxjs';

/** How much of a rate limit this process uses. */
export interface RateLimitUsage {
  /** Name of the rate limit. */
  readonly rateLimit: string;
  /** How many requests the exchange accepts in any window. */
  readonly limit: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
  /** Permits in use: their requests are in flight, or the exchange may still count them in its window. */
  readonly used: number;
  /**
   * Free permits. Of a shared limit: permits that no process uses, up to two seconds ago.
   */
  readonly free: number;
  /** Requests that wait for a permit, by priority. */
  readonly queued: Readonly<Record<Priority, number>>;
  /** When the cool-down after a 429 ends, Unix ms; `undefined` without a cool-down. */
  readonly coolDownUntil: number | undefined;
}

const everyMs = 500;

/**
 * Emits the result of `read` at subscription and then twice a second. Shared by all subscribers; the timer does not
 * keep the process alive.
 */
export function usageStream(read: () => readonly RateLimitUsage[]): Observable<readonly RateLimitUsage[]> {
  return new Observable<readonly RateLimitUsage[]>((subscriber) => {
    subscriber.next(read());
    const timer = setInterval(() => {
      subscriber.next(read());
    }, everyMs).unref();
    return () => {
      clearInterval(timer);
    };
  }).pipe(share({ connector: () => new ReplaySubject(1) }));
}
