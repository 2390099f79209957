// The rate limit that all endpoints of the main account share.
import type { RateLimit } from '../../endpoint/index.js';

/** Published for `/api/v4/main-account/*`, all together. */
export const mainAccountRateLimit: RateLimit = { name: 'mainAccount', limit: 1000, windowMs: 10_000 };
