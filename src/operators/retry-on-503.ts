// Retries a source after HTTP 503.
import { defer, retry, throwError, timer, type MonoTypeOperatorFunction } from 'rxjs';
import {
  jitterOf,
  nextRetry,
  requestedDelayMs,
  retryPolicyRules,
  type Retries,
  type RetryPolicy,
} from '../call/index.js';
import { optionsOf, parse, UnavailableError } from '../errors/index.js';

/** Options of {@link retryOn503}. */
export type RetryOn503Options = RetryPolicy;

const retryOn503Options = optionsOf<RetryOn503Options>(retryPolicyRules);

/**
 * Subscribes again when the source fails with {@link UnavailableError}. The wait is random (full jitter); its maximum
 * doubles with each retry. It is never shorter than the exchange's `Retry-After`. Any other error, and the last 503,
 * are passed on.
 *
 * The client retries its own requests already: use the operator for your own sources. It is safe on an order, because a
 * new subscription to an order observable is the same order.
 *
 * @throws {@link RequestError} for invalid options
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
  const policy = parse('retryOn503', retryOn503Options, options);
  return (source) =>
    defer(() => {
      let retries: Retries = { since: performance.now(), ordinary: 0, nonces: 0 };
      const delay = (error: unknown) => {
        if (!(error instanceof UnavailableError)) return throwError(() => error);
        const now = performance.now();
        const failure = { now, jitter: jitterOf(policy.random), notBefore: now + requestedDelayMs(error) };
        const next = nextRetry(retries, { ...failure, isNonce: false }, policy);
        if (next === undefined) return throwError(() => error);
        ({ retries } = next);
        return timer(next.delayMs);
      };
      return source.pipe(retry({ delay }));
    });
}
