// The rate limits that endpoints share, beside those of their own.
import type { SandboxRateLimit } from './rate-limiter.js';

/** Rate limits of several endpoints together, by name. */
export const combinedLimits = {
  // Spec, Limits: public REST endpoints. Published since: 20000 for these together, and 2000 for each endpoint.
  public: { limit: 2000, windowMs: 10_000 },
  // Published for `main-account/*`.
  mainAccount: { limit: 1000, windowMs: 10_000 },
  // Published for the open orders and `trade-account/*`.
  orders: { limit: 12_000, windowMs: 10_000 },
} satisfies Readonly<Record<string, SandboxRateLimit>>;

const pathsOf: Readonly<Record<keyof typeof combinedLimits, RegExp>> = {
  public: /^\/api\/v[14]\/public\//,
  mainAccount: /^\/api\/v4\/main-account\//,
  orders: /^\/api\/v4\/(trade-account\/|orders$)/,
};

/**
 * The names of every rate limit that a request to a route counts in, the route's own first. A route that names a
 * combined limit has a limit of its own besides, which is named by its path.
 */
export function rateLimitsOf({ path, rateLimit }: { readonly path: string; readonly rateLimit: string }): string[] {
  const combined = Object.entries(pathsOf).flatMap(([name, paths]) => (paths.test(path) ? [name] : []));
  const own = Object.hasOwn(combinedLimits, rateLimit) ? [rateLimit, path] : [rateLimit];
  return [...new Set([...own, ...combined])];
}
