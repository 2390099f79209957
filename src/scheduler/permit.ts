// What the holder of a permit sees.

/** The right to send one request. */
export interface Permit {
  /**
   * Releases the permit: of all rate limits for which it was requested. Later calls do nothing. A permit that is
   * never released stays in use.
   *
   * @param retryAfterMs the exchange's `Retry-After` after a 429, milliseconds, 0 or more. Default, also for an invalid
   *   value: one window.
   */
  release(use: PermitUse, retryAfterMs?: number): void;
}

/**
 * The outcome of the request that a permit was used for:
 * - `unsent`: the request was not sent; the permit is free at once.
 * - `responded`: the exchange has counted the request, and forgets it one window later.
 * - `rate-limited`: as `responded`, but with status 429, which starts a cool-down.
 * - `unknown`: the request may still arrive; the permit is held for `lateArrivalMs` longer. Any other word counts as
 *   `unknown`.
 */
export type PermitUse = 'unsent' | 'responded' | 'rate-limited' | 'unknown';
