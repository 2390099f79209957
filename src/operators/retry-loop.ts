// The only retry loop. Reads, orders, rejected nonces and users' own sources pass through it, so their bounds mean the
// same.
import {
  catchError,
  concat,
  defer,
  EMPTY,
  ignoreElements,
  Observable,
  retry,
  timer,
  type MonoTypeOperatorFunction,
  type Subscription,
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

/** The rules of a policy. */
export const retryPolicyRules: OptionRules<RetryPolicy> = {
  maxRetries: countOrInfinity(0),
  baseDelayMs: durationFrom0,
  maxDelayMs: durationFrom0,
  maxTotalMs: numberFrom(0),
  random: aFunction,
};

/** The wait before a retry, milliseconds; `count` is 1 for the first. */
export function retryDelayMs(
  { baseDelayMs = 200, maxDelayMs = 5000, random = Math.random }: RetryPolicy,
  count: number,
  error: unknown,
): number {
  const maxMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (count - 1));
  return Math.min(maxTimerMs, Math.max(jitterOf(random) * maxMs, requestedDelayMs(error)));
}

/** A user's `random` that throws, or returns a value outside 0 to 1, gives the maximum wait. */
function jitterOf(random: () => unknown): number {
  const share = tryOr(random, undefined);
  return typeof share === 'number' && share >= 0 && share <= 1 ? share : 1;
}

/** The `Retry-After` of the error or of the error that caused it, milliseconds; 0 without one. */
export function requestedDelayMs(error: unknown): number {
  if (!isExchangeError(error)) return 0;
  if (error.kind === 'unavailable' || error.kind === 'rate-limited') return error.retryAfterMs ?? 0;
  return error.kind === 'not-placed' || error.kind === 'transport' ? requestedDelayMs(error.cause) : 0;
}

/** Whether the exchange rejected a nonce outside its window, because the client's clock is wrong. */
export function isExpiredNonce(error: unknown): boolean {
  return error instanceof AuthError && error.reason === 'nonce-expired';
}

/** Whether the exchange rejected the nonce and did not execute the request. A new nonce makes the request valid. */
export function isRejectedNonce(error: unknown): error is AuthError {
  return (
    error instanceof AuthError &&
    (error.reason === 'nonce-expired' || error.reason === 'nonce-used') &&
    error.outcome !== 'unknown'
  );
}

/** Maximum immediate retries with a new nonce. */
const maxNonceRetries = 2;

/** A retry that is scheduled. */
export interface Retry {
  /** 1 for the first retry. */
  readonly retry: number;
  /** The wait before it, milliseconds. */
  readonly delayMs: number;
  /** The error that the retry follows. */
  readonly error: unknown;
}

/** Options of {@link retryLoop}. */
export interface RetryLoopOptions extends RetryPolicy {
  /** Whether to retry after an error. */
  readonly when: (error: unknown) => boolean;
  /** Whether a retry is still wanted. Called after a failure and again after the wait. Default: always. */
  readonly isCurrent?: (() => boolean) | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Allows or denies each retry. */
  readonly budget?: { spend(): boolean } | undefined;
  /** Maximum time from subscription to the start of an attempt, milliseconds. Default: no maximum. */
  readonly validForMs?: number | undefined;
  /** Runs before the wait for a retry, such as reading the exchange's clock. Its errors are ignored. */
  readonly prepare?: ((error: unknown) => Observable<unknown>) | undefined;
}

/** Subscribes again after an error, as far as the options allow. */
export function retryLoop<T>(options: RetryLoopOptions): MonoTypeOperatorFunction<T> {
  return (source) =>
    defer(() => {
      const loop = new RetryLoop(options);
      const delay = (error: unknown) =>
        new Observable<void>((run) => {
          loop.afterError(error, {
            run,
            again: () => {
              run.next();
            },
            fail: (failure) => {
              run.error(failure);
            },
          });
        });
      return source.pipe(retry({ delay }));
    });
}

/**
 * A source whose subscription ends with `run`, from before it starts: a listener may end the run while it starts, or may
 * have ended it before.
 */
export function startedIn<T>(run: Pick<Subscription, 'add'>, source$: Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    run.add(subscriber);
    return source$.subscribe(subscriber);
  });
}

/** What an error leads to: a retry after a wait, or a failure. */
export interface AfterError {
  /** Ends the wait when it is unsubscribed. */
  readonly run: Pick<Subscription, 'add'>;
  readonly again: () => void;
  readonly fail: (error: unknown) => void;
}

/** The retries of one subscription. */
export class RetryLoop {
  readonly #options: RetryLoopOptions;
  readonly #startedAt: number;
  #ordinary = 0;
  #nonces = 0;

  /** @param startedAt when the subscription began, by `performance.now()` */
  constructor(options: RetryLoopOptions, startedAt = performance.now()) {
    this.#options = options;
    this.#startedAt = startedAt;
  }

  /** Waits and calls `again`, as far as the options allow; otherwise calls `fail`, now or after the wait. */
  afterError(error: unknown, { run, again, fail }: AfterError): void {
    let delayMs: number | undefined;
    try {
      const { when, onRetry } = this.#options;
      delayMs = when(error) && this.#isCurrent() ? this.#next(error) : undefined;
      if (delayMs !== undefined) onRetry?.({ retry: this.#ordinary + this.#nonces, delayMs, error });
    } catch (thrown) {
      fail(thrown);
      return;
    }
    if (delayMs === undefined) {
      fail(error);
      return;
    }
    startedIn(run, this.#wait(error, delayMs)).subscribe({
      next: () => {
        if (this.#isCurrent()) again();
        else fail(error);
      },
      error: fail,
    });
  }

  #isCurrent(): boolean {
    return this.#options.isCurrent?.() !== false;
  }

  #wait(error: unknown, delayMs: number): Observable<unknown> {
    const { prepare } = this.#options;
    if (prepare === undefined) return timer(delayMs);
    const prepared$ = prepare(error).pipe(
      ignoreElements(),
      catchError(() => EMPTY),
    );
    return concat(prepared$, timer(delayMs));
  }

  /** Counts one more retry and returns the wait before it, milliseconds; `undefined` when a bound is reached. */
  #next(error: unknown): number | undefined {
    const { maxRetries = 4, maxTotalMs = 30_000, validForMs = Number.POSITIVE_INFINITY, budget } = this.#options;
    const isNonce = isRejectedNonce(error);
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
