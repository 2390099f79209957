// The rate limit that all public endpoints share.
import type { RateLimit } from '../../scheduler/index.js';

/** Spec, Limits. */
export const publicRateLimit: RateLimit = { name: 'public', limit: 2000, windowMs: 10_000 };
