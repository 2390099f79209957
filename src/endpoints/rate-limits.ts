// The rate limits that several endpoints share.
import type { LimitWindow, RateLimit } from '../endpoint/index.js';

/** Published for `/api/v4/main-account/*`, all together. */
export const mainAccountRateLimit: RateLimit = { name: 'mainAccount', limit: 1000, windowMs: 10_000 };

/** Published for `/api/v4/orders` and `/api/v4/trade-account/*`, and for the conditional orders. */
export const ordersRateLimit: RateLimit = { name: 'orders', limit: 12_000, windowMs: 10_000 };

/** All public endpoints together. Spec, Limits. The exchange has published 20000 since: the option `limits` takes it. */
export const publicRateLimit: RateLimit = { name: 'public', limit: 2000, windowMs: 10_000 };

/** Published: the limit of each public endpoint. It matters where that of all of them is wider. */
export const publicRateLimits = [publicRateLimit, { limit: 2000, windowMs: 10_000 }] as const;

/** The rate limits of a public endpoint that has a tighter one of its own, requests / 10 s. */
export function tighterRateLimits(limit: number): readonly [LimitWindow, RateLimit] {
  return [{ limit, windowMs: 10_000 }, publicRateLimit];
}
