// What a rate limit is. The endpoints define theirs; all are per IP address: every process behind one address shares
// them.
import type { RateLimitName } from '../model/rate-limit-name.js';

/** How many requests the exchange accepts in any window of this length. */
export interface LimitWindow {
  /** Requests, 1 or more. */
  readonly limit: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
}

/** A rate limit of the exchange. */
export interface RateLimit extends LimitWindow {
  /**
   * Unique name, by which requests are counted and `limits` of the options overrides. Two rate limits of one name must
   * be equal: a request that brings a different one fails with {@link RequestError}.
   */
  readonly name: string;
  /** The wider limit that the exchange has published since: the client option `limits: 'published'` takes it. */
  readonly published?: LimitWindow;
}

/** Limits that replace the endpoints' own, by name: `{ public: { limit: 600, windowMs: 10_000 } }`. */
export type LimitOverrides = ByRateLimit<LimitWindow>;

/** Values by the name of a rate limit. */
export type ByRateLimit<Value> = Readonly<Partial<Record<RateLimitName, Value>>>;

/** The value of a name, which may be of an endpoint of the user's own. */
export function valueOf<Value>(byName: ByRateLimit<Value>, name: string): Value | undefined {
  return Object.entries<Value>(byName).find(([listed]) => listed === name)?.[1];
}

/** A limit as messages say it. */
export function describeLimit({ limit, windowMs }: LimitWindow): string {
  return `${limit} requests / ${windowMs} ms`;
}

/** Whether two limits are the same. */
export function isSameLimit(one: LimitWindow, other: LimitWindow): boolean {
  return one.limit === other.limit && one.windowMs === other.windowMs;
}
