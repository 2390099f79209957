// Retries a source that failed, as a policy says.
import type { MonoTypeOperatorFunction } from 'rxjs';
import { aFunction, checkByRules, isExchangeError, type OptionRules, withMethods } from '../errors/index.js';
import { retryLoop, retryPolicyRules, type Retry, type RetryPolicy } from './retry-loop.js';
import type { RetryBudget } from './retry-budget.js';

/** Options of {@link retryWith}. */
export interface RetryWithOptions extends RetryPolicy {
  /** After which errors to try again: {@link isTransient}, {@link isTransientAndNotExecuted}, or your own. */
  readonly when: (error: unknown) => boolean;
  /** Called before each wait. */
  readonly onRetry?: (retry: Retry) => void;
  /** Bounds the new tries of many sources together. */
  readonly budget?: RetryBudget;
}

const rules: OptionRules<RetryWithOptions> = {
  ...retryPolicyRules,
  when: aFunction,
  onRetry: aFunction,
  budget: withMethods('a RetryBudget', 'spend'),
};

/**
 * Subscribes again when the source fails with an error that the policy repeats, after a wait of random length (full
 * jitter) that doubles its bound each time and is never shorter than the exchange's `Retry-After`. Any other error, and
 * the last one, pass on.
 *
 * Throws {@link RequestError} for bad options.
 *
 * ```text
 * source:                       --#lost  --#503  --a|
 * retryWith({ when: isTransient }): -----------------a|
 * ```
 *
 * @example
 * ```ts
 * import { isTransient, retryWith, type Exchange } from 'exchange-rx';
 *
 * const balanceSoon = (exchange: Exchange) => exchange.account.mainBalance().pipe(retryWith({ when: isTransient, maxRetries: 10 }));
 * ```
 */
export function retryWith<T>(options: RetryWithOptions): MonoTypeOperatorFunction<T> {
  checkByRules('retryWith', options, rules, ['when']);
  return retryLoop(options);
}

/**
 * Whether it may be over in a moment: 503, 429, a connection that could not be made or was lost, a time-out. For what
 * may be done twice.
 *
 * @example
 * ```ts
 * import { isTransient, retryWith, type Exchange } from 'exchange-rx';
 *
 * const markets = (exchange: Exchange) => exchange.public.markets().pipe(retryWith({ when: isTransient, maxTotalMs: 120_000 }));
 * ```
 */
export function isTransient(error: unknown): boolean {
  return (
    isExchangeError(error) &&
    (error.kind === 'unavailable' ||
      error.kind === 'rate-limited' ||
      error.kind === 'transport' ||
      error.kind === 'timeout')
  );
}

/**
 * Whether it may be over in a moment, and the request is known not to have been executed. For what must not be done
 * twice.
 *
 * @example
 * ```ts
 * import { isTransientAndNotExecuted, retryWith, type Exchange, type RefreshTokenParams } from 'exchange-rx';
 *
 * const refresh = (exchange: Exchange, params: RefreshTokenParams) =>
 *   exchange.oauth.refreshToken(params).pipe(retryWith({ when: isTransientAndNotExecuted }));
 * ```
 */
export function isTransientAndNotExecuted(error: unknown): boolean {
  return isTransient(error) && isExchangeError(error) && error.outcome !== 'unknown';
}
