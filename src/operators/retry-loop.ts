// The retry loop. Every call of the package goes through it, so that the bounds of reads, orders and refused nonces
// mean the same; and users' own sources.
import {
  catchError,
  concat,
  defer,
  EMPTY,
  ignoreElements,
  mergeMap,
  of,
  retry,
  throwError,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import {
  aFunction,
  AuthError,
  countOrInfinity,
  durationFrom0,
  isExchangeError,
  maxTimerMs,
  numberFrom,
  type OptionRules,
  tryOr,
} from '../errors/index.js';

/** How often to try again, and how long to wait before. */
export interface RetryPolicy {
  /** How many times to try again, 0 or more. Default 4. */
  readonly maxRetries?: number;
  /** The longest wait before the first retry, milliseconds; it doubles with each. Default 200. */
  readonly baseDelayMs?: number;
  /** The longest wait before any retry, milliseconds; what `Retry-After` asks for is waited in full. Default 5000. */
  readonly maxDelayMs?: number;
  /** No retry starts later than this after the first attempt, milliseconds. Default 30000. */
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

/** How long to wait before this retry, milliseconds; 1 is the first. */
export function retryDelayMs(
  { baseDelayMs = 200, maxDelayMs = 5000, random = Math.random }: RetryPolicy,
  count: number,
  error: unknown,
): number {
  const maxMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (count - 1));
  return Math.min(maxTimerMs, Math.max(shareOf(random) * maxMs, requestedDelayMs(error)));
}

/** Randomness of the user's own that fails, or gives no number from 0 to 1, waits for the longest. */
function shareOf(random: () => unknown): number {
  const share = tryOr(random, undefined);
  return typeof share === 'number' && share >= 0 && share <= 1 ? share : 1;
}

/**
 * What the exchange asked for by `Retry-After`, milliseconds: in the response itself, or in the one that an order was
 * looked up for.
 */
export function requestedDelayMs(error: unknown): number {
  if (!isExchangeError(error)) return 0;
  if (error.kind === 'unavailable' || error.kind === 'rate-limited') return error.retryAfterMs ?? 0;
  return error.kind === 'not-placed' || error.kind === 'transport' ? requestedDelayMs(error.cause) : 0;
}

/** Whether the exchange refused the nonce of a request for its age: the clock that it was made by is wrong. */
export function isExpiredNonce(error: unknown): boolean {
  return error instanceof AuthError && error.reason === 'nonce-expired';
}

/**
 * Whether the exchange refused the nonce of a request, and did nothing else with it. A new signature makes the request
 * valid.
 */
export function isRefusedNonce(error: unknown): error is AuthError {
  return (
    error instanceof AuthError &&
    (error.reason === 'nonce-expired' || error.reason === 'nonce-used') &&
    error.outcome !== 'unknown'
  );
}

/** A request whose nonce was refused is signed again at once, this many times. */
const maxNonceRetries = 2;

/** A retry that is about to be waited for. */
export interface Retry {
  /** 1 for the first retry. */
  readonly retry: number;
  /** The wait before it, milliseconds. */
  readonly delayMs: number;
  /** The error that it repeats after. */
  readonly error: unknown;
}

/** What the loop goes by. */
export interface RetryLoopOptions extends RetryPolicy {
  /** After which errors to try again. */
  readonly when: (error: unknown) => boolean;
  /** Whether a retry still makes sense: asked after a failure, and again when the wait is over. Default: it does. */
  readonly isCurrent?: (() => boolean) | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Grants or denies one retry. */
  readonly budget?: { spend(): boolean } | undefined;
  /** No attempt starts later than this after subscription, milliseconds. Default: no bound. */
  readonly validForMs?: number | undefined;
  /**
   * What is done before a retry after this error, such as reading the exchange's clock. Its failure changes nothing.
   */
  readonly prepare?: ((error: unknown) => Observable<unknown>) | undefined;
}

/** Subscribes again when the source fails, while the options allow it. */
export function retryLoop<T>(options: RetryLoopOptions): MonoTypeOperatorFunction<T> {
  const { when, isCurrent = () => true, onRetry, prepare = () => EMPTY } = options;
  return (source) =>
    defer(() => {
      const retries = new Retries(options);
      return source.pipe(
        retry({
          delay: (error: unknown) => {
            const failed$ = throwError(() => error);
            const delayMs = when(error) && isCurrent() ? retries.next(error) : undefined;
            if (delayMs === undefined) return failed$;
            onRetry?.({ retry: retries.count, delayMs, error });
            const waited$ = concat(
              prepare(error).pipe(
                ignoreElements(),
                catchError(() => EMPTY),
              ),
              timer(delayMs),
            );
            return waited$.pipe(mergeMap((waited) => (isCurrent() ? of(waited) : failed$)));
          },
        }),
      );
    });
}

/** The retries of one subscription: how many there were, and whether there is another. */
class Retries {
  readonly #options: RetryLoopOptions;
  readonly #startedAt = performance.now();
  #ordinary = 0;
  #nonces = 0;

  constructor(options: RetryLoopOptions) {
    this.#options = options;
  }

  /** How many there were. */
  get count(): number {
    return this.#ordinary + this.#nonces;
  }

  /**
   * Counts a retry after this error and returns the wait before it, milliseconds; `undefined` when the bounds allow no
   * other.
   */
  next(error: unknown): number | undefined {
    const { maxRetries = 4, maxTotalMs = 30_000, validForMs = Number.POSITIVE_INFINITY, budget } = this.#options;
    const isNonce = isRefusedNonce(error);
    const delayMs = isNonce ? 0 : retryDelayMs(this.#options, this.#ordinary + 1, error);
    if (performance.now() - this.#startedAt + delayMs > Math.min(maxTotalMs, validForMs)) return undefined;
    if (isNonce) {
      if (this.#nonces >= maxNonceRetries) return undefined;
      this.#nonces += 1;
      return delayMs;
    }
    if (this.#ordinary >= maxRetries || budget?.spend() === false) return undefined;
    this.#ordinary += 1;
    return delayMs;
  }
}
