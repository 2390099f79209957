// Retries a source under a policy.
import type { MonoTypeOperatorFunction } from 'rxjs';
import { aFunction, checkByRules, isExchangeError, type OptionRules, withMethods } from '../errors/index.js';
import { retryLoop, retryPolicyRules, type Retry, type RetryPolicy } from './retry-loop.js';
import type { RetryBudget } from './retry-budget.js';

/** Options of {@link retryWith}. */
export interface RetryWithOptions extends RetryPolicy {
  /** Whether to retry after an error: {@link isTransient}, {@link isTransientAndNotExecuted}, or your own function. */
  readonly when: (error: unknown) => boolean;
  /** Called before each wait. */
  readonly onRetry?: (retry: Retry) => void;
  /** Bounds the retries of several sources together. Default: no budget. */
  readonly budget?: RetryBudget;
}

const rules: OptionRules<RetryWithOptions> = {
  ...retryPolicyRules,
  when: aFunction,
  onRetry: aFunction,
  budget: withMethods('a RetryBudget', 'spend'),
};

/**
 * Subscribes again when the source fails with an error that `when` accepts. The wait is random (full jitter); its
 * maximum doubles with each retry. It is never shorter than the exchange's `Retry-After`. Any other error, and the last
 * one, are passed on.
 *
 * @throws {@link RequestError} for invalid options
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
 * const balanceSoon = (exchange: Exchange) =>
 *   exchange.account.mainBalance().pipe(retryWith({ when: isTransient, maxRetries: 10 }));
 * ```
 */
export function retryWith<T>(options: RetryWithOptions): MonoTypeOperatorFunction<T> {
  checkByRules('retryWith', options, rules, ['when']);
  return retryLoop(options);
}

/**
 * Whether an error is transient: 503, 429, a lost or failed connection, a timeout. The request may have been executed,
 * so retry only requests that may be executed twice.
 *
 * @example
 * ```ts
 * import { isTransient, retryWith, type Exchange } from 'exchange-rx';
 *
 * const markets = (exchange: Exchange) =>
 *   exchange.public.markets().pipe(retryWith({ when: isTransient, maxTotalMs: 120_000 }));
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
 * Whether an error is transient and the request was not executed. For requests that must not be executed twice.
 *
 * @example
 * ```ts
 * import { isTransientAndNotExecuted, retryWith, type Exchange } from 'exchange-rx';
 * import type { oauth } from 'exchange-rx/endpoints';
 *
 * const refresh = (exchange: Exchange, params: oauth.RefreshTokenParams) =>
 *   exchange.oauth.refreshToken(params).pipe(retryWith({ when: isTransientAndNotExecuted }));
 * ```
 */
export function isTransientAndNotExecuted(error: unknown): boolean {
  return isTransient(error) && isExchangeError(error) && error.outcome !== 'unknown';
}
