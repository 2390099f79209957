/**
 * What became of the request that a permit was for:
 * - `unsent`: it was not sent; the permit is free at once.
 * - `responded`: the exchange has counted it by now, and forgets it a window later.
 * - `rate-limited`: the exchange answered 429; the same, and its group is closed for a while.
 * - `unknown`: it may still arrive; the permit is held for the longest a late request can take, too. Any other word
 *   counts as this one.
 */
export type PermitUse = 'unsent' | 'responded' | 'rate-limited' | 'unknown';

/** The right to send one request. */
export interface Permit {
  /**
   * Gives the permit back. Later calls do nothing. One that is never given back is taken for `unknown` when it is
   * garbage.
   *
   * @param retryAfterMs after 429, how long the exchange asked to wait, milliseconds, 0 or more; a window when it did
   *   not say, or said no such number
   */
  release(use: PermitUse, retryAfterMs?: number): void;
}
