// The rate limit that the lists of orders and the trade account share.
import type { RateLimit } from '../../endpoint/index.js';

/** Published for `/api/v4/orders` and `/api/v4/trade-account/*`, and for the conditional orders. */
export const ordersRateLimit: RateLimit = { name: 'orders', limit: 12_000, windowMs: 10_000 };
