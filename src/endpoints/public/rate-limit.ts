// The rate limit that all public endpoints share.
import type { LimitWindow, RateLimit } from '../../scheduler/index.js';

/** Spec, Limits. */
export const publicRateLimit: RateLimit = { name: 'public', limit: 2000, windowMs: 10_000 };

/** The rate limits of a public endpoint that has a tighter one of its own. */
export function publicRateLimits(own: LimitWindow): readonly [LimitWindow, RateLimit] {
  return [own, publicRateLimit];
}
