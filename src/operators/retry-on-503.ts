// Repeats a source that failed because the exchange was unavailable (HTTP 503).
import { retry, throwError, timer, type MonoTypeOperatorFunction } from 'rxjs';
import { UnavailableError } from '../errors.js';
import { longestTimerMs } from '../longest-timer.js';

/** How often to try again, and how long to wait before. */
export interface RetryOn503Options {
  /** How many times to try again. Default 4. */
  readonly maxRetries?: number;
  /** The longest wait before the first new try, milliseconds; it doubles with each. Default 200. */
  readonly baseDelayMs?: number;
  /** The longest wait before any, milliseconds; what `Retry-After` asks for is waited in full. Default 5000. */
  readonly maxDelayMs?: number;
  /** Called before each wait. */
  readonly onRetry?: (retry: RetryOn503) => void;
  /** Randomness from 0 to 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
}

/** A new try that is about to be waited for. */
export interface RetryOn503 {
  /** 1 for the first new try. */
  readonly retry: number;
  /** The wait before it, milliseconds. */
  readonly delayMs: number;
  readonly error: UnavailableError;
}

/**
 * Subscribes again when the source fails with {@link UnavailableError}, after a wait of random length (full jitter) that doubles its
 * bound each time and is never shorter than the exchange's `Retry-After`. Any other error, and the last 503, pass on.
 *
 * The client's own reads are repeated so already. Put it around a source of your own. An order needs no such care and gets no harm from
 * it: a new subscription to an order observable whose outcome is unknown does not send it again.
 *
 * ```text
 * source:           --#503   --#503     --a|
 * retryOn503():     ---------------------a|
 * ```
 *
 * @example
 * ```ts
 * import { retryOn503, type Exchange } from 'exchange-rx';
 *
 * const marketsSoon = (exchange: Exchange) => exchange.public.markets().pipe(retryOn503({ maxRetries: 10 }));
 * ```
 */
export function retryOn503<T>(options: RetryOn503Options = {}): MonoTypeOperatorFunction<T> {
  const { maxRetries = 4, baseDelayMs = 200, maxDelayMs = 5000, onRetry, random = Math.random } = options;
  return retry({
    count: maxRetries,
    delay: (error: unknown, count) => {
      if (!(error instanceof UnavailableError)) return throwError(() => error);
      const longestMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (count - 1));
      const delayMs = Math.min(longestTimerMs, Math.max(random() * longestMs, error.retryAfterMs ?? 0));
      onRetry?.({ retry: count, delayMs, error });
      return timer(delayMs);
    },
  });
}
