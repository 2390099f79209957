// How often, how soon and until when a request is sent again. Pure, so that reads, orders, rejected nonces and users' own
// sources have the same bounds.
import {
  aFunction,
  ApiError,
  AuthError,
  countOrInfinity,
  durationFrom0,
  isExchangeError,
  maxTimerMs,
  numberFrom,
  type AnyExchangeError,
  type OptionRules,
} from '../errors/index.js';

/** How often to retry, and how long to wait before each retry. */
export interface RetryPolicy {
  /** Maximum retries, 0 or more; Infinity for no maximum. Default 4. */
  readonly maxRetries?: number;
  /** Maximum wait before the first retry, milliseconds. It doubles with each retry. Default 200. */
  readonly baseDelayMs?: number;
  /** Maximum wait before any retry, milliseconds. A longer `Retry-After` is waited in full. Default 5000. */
  readonly maxDelayMs?: number;
  /** Maximum time from subscription to the start of the last retry, milliseconds. Default 30000. */
  readonly maxTotalMs?: number;
  /** Random numbers from 0 to 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
}

export const retryPolicyRules: OptionRules<RetryPolicy> = {
  maxRetries: countOrInfinity(0),
  baseDelayMs: durationFrom0,
  maxDelayMs: durationFrom0,
  maxTotalMs: numberFrom(0),
  random: aFunction(),
};

/** The maximum wait after a number of failures in a row, milliseconds: it doubles with each failure, up to `maxMs`. */
export function backoff(failures: number, baseMs: number, maxMs: number): number {
  return Math.min(maxMs, baseMs * 2 ** (failures - 1));
}

/** A random number from 0 to 1. A user's `random` that throws, or returns any other value, gives 1: the maximum wait. */
export function jitterOf(random: () => number = Math.random): number {
  try {
    const share = random();
    return share >= 0 && share <= 1 ? share : 1;
  } catch {
    return 1;
  }
}

/** The `Retry-After` of the error or of the error that caused it, milliseconds; 0 without one. */
export function requestedDelayMs(error: unknown): number {
  if (!isExchangeError(error)) return 0;
  if (error.kind === 'unavailable' || error.kind === 'rate-limited') return error.retryAfterMs ?? 0;
  return error.kind === 'not-placed' || error.kind === 'lookup' ? requestedDelayMs(error.cause) : 0;
}

export function isExpiredNonce(error: unknown): error is AuthError {
  return error instanceof AuthError && error.reason === 'nonce-expired';
}

/** Whether the exchange rejected a nonce: that of the request, or that of a copy of it. A new nonce makes it valid. */
export function isRefusedNonce(error: unknown): error is AuthError {
  return error instanceof AuthError && (error.reason === 'nonce-expired' || error.reason === 'nonce-used');
}

/** Whether the exchange rejected client_order_id as in use. Not every form of the error has the code. */
export function isIdentifierInUse(error: AnyExchangeError): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.reason === 'client-order-id' || 'clientOrderId' in error.errors || 'client_order_id' in error.errors;
}

/**
 * Whether an error is transient: 503, 429, a lost or failed connection, a timeout. The request may have been executed: a
 * request that must not be executed twice is retried only where `error.outcome` is not `unknown`, too.
 *
 * @example
 * ```ts
 * import { isTransient, type Exchange } from 'exchange-rx';
 * import { retry, throwError, timer } from 'rxjs';
 *
 * const markets = (exchange: Exchange) =>
 *   exchange.public.markets().pipe(
 *     retry({ count: 5, delay: (error, n) => (isTransient(error) ? timer(1000 * 2 ** n) : throwError(() => error)) }),
 *   );
 * ```
 */
export function isTransient(error: unknown): error is AnyExchangeError {
  return (
    isExchangeError(error) &&
    (error.kind === 'unavailable' ||
      error.kind === 'rate-limited' ||
      error.kind === 'transport' ||
      error.kind === 'lookup' ||
      error.kind === 'timeout')
  );
}

const maxNonceRetries = 2;

/** The retries so far of one subscription. */
export interface Retries {
  /** When the subscription began, by `performance.now()`. */
  readonly since: number;
  readonly ordinary: number;
  /** Those with a new nonce, at once. */
  readonly nonces: number;
}

export interface Failure {
  /** By `performance.now()`. */
  readonly now: number;
  /** A random number from 0 to 1. */
  readonly jitter: number;
  /** Whether a new nonce makes the request valid. */
  readonly isNonce: boolean;
  /** When the exchange accepts requests again, by `performance.now()`. */
  readonly notBefore: number;
}

/** The next retry; `undefined` when a bound is reached. */
export function nextRetry(
  retries: Retries,
  { now, jitter, isNonce, notBefore }: Failure,
  { maxRetries = 4, baseDelayMs = 200, maxDelayMs = 5000, maxTotalMs = 30_000 }: RetryPolicy,
  validForMs = Number.POSITIVE_INFINITY,
): { readonly retries: Retries; readonly delayMs: number } | undefined {
  const { since, ordinary, nonces } = retries;
  const waitMs = jitter * backoff(ordinary + 1, baseDelayMs, maxDelayMs);
  const delayMs = isNonce ? 0 : Math.min(maxTimerMs, Math.max(waitMs, notBefore - now));
  if (now - since + delayMs > Math.min(maxTotalMs, validForMs)) return undefined;
  if (isNonce)
    return nonces < maxNonceRetries ? { retries: { since, ordinary, nonces: nonces + 1 }, delayMs } : undefined;
  return ordinary < maxRetries ? { retries: { since, ordinary: ordinary + 1, nonces }, delayMs } : undefined;
}

/** Retries that each request adds to the budget: in the long run, at most 1 retry in 10 requests. */
const retriesPerRequest = 0.1;
const maxBudget = 50;

/** Bounds the retries of many requests together, so that retries do not multiply the load of an outage. */
export class RetryBudget {
  #left = maxBudget;

  earn(): void {
    this.#left = Math.min(maxBudget, this.#left + retriesPerRequest);
  }

  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
