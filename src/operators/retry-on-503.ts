// Repeats a source that failed because the exchange was unavailable (HTTP 503).
import type { MonoTypeOperatorFunction } from 'rxjs';
import { aFunction, checkByRules, type OptionRules, UnavailableError } from '../errors/index.js';
import { retryPolicyRules, type RetryPolicy } from './retry-loop.js';
import { retryWith } from './retry-with.js';

/** How often to try again, and how long to wait before. */
export interface RetryOn503Options extends RetryPolicy {
  /** Called before each wait. */
  readonly onRetry?: (retry: RetryOn503) => void;
}

const rules: OptionRules<RetryOn503Options> = { ...retryPolicyRules, onRetry: aFunction };

/** A new try that is about to be waited for. */
export interface RetryOn503 {
  /** 1 for the first new try. */
  readonly retry: number;
  /** The wait before it, milliseconds. */
  readonly delayMs: number;
  /** The 503 that it repeats after. */
  readonly error: UnavailableError;
}

/**
 * Subscribes again when the source fails with {@link UnavailableError}, after a wait of random length (full jitter)
 * that doubles its bound each time and is never shorter than the exchange's `Retry-After`. Any other error, and the
 * last 503, pass on.
 *
 * Throws {@link RequestError} for bad options.
 *
 * The client's own requests are repeated so already. Put it around a source of your own. An order needs no such care
 * and gets no harm from it: a new subscription to an order observable is still the same order.
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
  checkByRules('retryOn503', options, rules);
  const { onRetry, ...policy } = options;
  return retryWith({
    ...policy,
    when: (error) => error instanceof UnavailableError,
    onRetry: ({ error, ...retry }) => {
      if (error instanceof UnavailableError) onRetry?.({ ...retry, error });
    },
  });
}
