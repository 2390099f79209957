// The rate limits of the public endpoints.
import type { LimitWindow, RateLimit } from '../../endpoint/index.js';

/** All public endpoints together. Spec, Limits. The exchange has published 20000 since: the option `limits` takes it. */
export const publicRateLimit: RateLimit = { name: 'public', limit: 2000, windowMs: 10_000 };

/** Published: the limit of each public endpoint. It matters where that of all of them is wider. */
const ofEach: LimitWindow = { limit: 2000, windowMs: 10_000 };

/** The rate limits of a public endpoint without a tighter one of its own. */
export const publicRateLimits = [publicRateLimit, ofEach] as const;

/** The rate limits of a public endpoint that has a tighter one of its own. */
export function tighterRateLimits(own: LimitWindow): readonly [LimitWindow, RateLimit] {
  return [own, publicRateLimit];
}
