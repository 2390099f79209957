// Rate limits by their names, and their texts.
import type { LimitWindow } from '../endpoint/index.js';
import type { RateLimitName } from '../model/rate-limit-name.js';

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
