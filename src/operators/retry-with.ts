// Retries a source under a policy.
import { defer, retry, throwError, timer, type MonoTypeOperatorFunction } from 'rxjs';
import {
  isRejectedNonce,
  jitterOf,
  nextRetry,
  requestedDelayMs,
  retryPolicyRules,
  type Retries,
  type RetryPolicy,
} from '../call/index.js';
import { aFunction, optionsOf, parse } from '../errors/index.js';

/** A retry that is scheduled. */
export interface Retry {
  /** 1 for the first retry. */
  readonly retry: number;
  /** The wait before it, milliseconds. */
  readonly delayMs: number;
  /** The error that the retry follows. */
  readonly error: unknown;
}

/** Options of {@link retryWith}. */
export interface RetryWithOptions extends RetryPolicy {
  /** Whether to retry after an error: {@link isTransient}, {@link isTransientAndNotExecuted}, or your own function. */
  readonly when: (error: unknown) => boolean;
  /** Called before each wait. */
  readonly onRetry?: (retry: Retry) => void;
}

const retryWithOptions = optionsOf<RetryWithOptions>({ ...retryPolicyRules, when: aFunction(), onRetry: aFunction() }, [
  'when',
]);

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
  const { when, onRetry, ...policy } = parse('retryWith', retryWithOptions, options);
  return (source) =>
    defer(() => {
      let retries: Retries = { since: performance.now(), ordinary: 0, nonces: 0 };
      const delay = (error: unknown) => {
        if (!when(error)) return throwError(() => error);
        const now = performance.now();
        const isNonce = isRejectedNonce(error);
        const jitter = isNonce ? 0 : jitterOf(policy.random);
        const notBefore = now + requestedDelayMs(error);
        const next = nextRetry(retries, { now, jitter, isNonce, notBefore }, policy);
        if (next === undefined) return throwError(() => error);
        ({ retries } = next);
        onRetry?.({ retry: retries.ordinary + retries.nonces, delayMs: next.delayMs, error });
        return timer(next.delayMs);
      };
      return source.pipe(retry({ delay }));
    });
}
