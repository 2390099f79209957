// When to try again: what `retryWith`, orders, and streams whose polls fail go by.
import { RateLimitedError, UnavailableError } from './errors.js';
import { longestTimerMs } from './longest-timer.js';
import { aFunction, countOrInfinity, durationFrom0, numberFrom, type OptionRules } from './option-rules.js';

/** How often to try again, and how long to wait before. */
export interface RetryPolicy {
  /** How many times to try again, 0 or more. Default 4. */
  readonly maxRetries?: number;
  /** The longest wait before the first new try, milliseconds; it doubles with each. Default 200. */
  readonly baseDelayMs?: number;
  /** The longest wait before any, milliseconds; what `Retry-After` asks for is waited in full. Default 5000. */
  readonly maxDelayMs?: number;
  /** No new try is begun later than this after the first, milliseconds. Default 30000. */
  readonly maxTotalMs?: number;
  /** Randomness from 0 to 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
}

/** What a policy may be. */
export const retryPolicyRules: OptionRules<RetryPolicy> = {
  maxRetries: countOrInfinity(0),
  baseDelayMs: durationFrom0,
  maxDelayMs: durationFrom0,
  maxTotalMs: numberFrom(0),
  random: aFunction,
};

/** How long to wait before this new try, milliseconds; 1 is the first. */
export function retryDelayMs({ baseDelayMs = 200, maxDelayMs = 5000, random = Math.random }: RetryPolicy, count: number, error: unknown): number {
  const longestMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (count - 1));
  const askedMs = error instanceof UnavailableError || error instanceof RateLimitedError ? (error.retryAfterMs ?? 0) : 0;
  return Math.min(longestTimerMs, Math.max(random() * longestMs, askedMs));
}
