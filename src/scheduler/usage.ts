// How much of each limit is used, for dashboards and logs.
import { Observable, ReplaySubject, share } from 'rxjs';
import type { Priority } from './waiting-line.js';

/** How much of a group's limit this process uses. */
export interface RateLimitUsage {
  /** Name of the group. */
  readonly rateLimit: string;
  /** Requests that the exchange accepts in any window. */
  readonly limit: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
  /** Permits that are out: of requests that are on the wire, or that the exchange may still count in its window. */
  readonly used: number;
  /** Permits that nobody uses. Of a shared limit: that no process uses, as of the last second. */
  readonly free: number;
  /** Requests that wait for a permit. */
  readonly queued: Readonly<Record<Priority, number>>;
  /** Until when the group is closed after a 429, Unix ms; `undefined` when it is not. */
  readonly coolDownUntil: number | undefined;
  /** Requests sent in the last second. */
  readonly ratePerSecond: number;
}

const everyMs = 500;

/**
 * Emits what `read` gives, at once and then twice a second, as long as anyone is subscribed. It only looks on: the
 * timer does not keep the process alive.
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
