// The polls behind every watched value: one at a time, with growing pauses after failures. A failure is a value.
import { catchError, defer, EMPTY, map, NEVER, of, type Observable } from 'rxjs';
import {
  aFunction,
  anObservable,
  type AnyExchangeError,
  durationAbove0,
  isExchangeError,
  maxTimerMs,
  type OptionRules,
  RequestError,
} from '../errors/index.js';
import { retryDelayMs, type CallEvent, type CallOptions } from '../call/index.js';
import { poll } from '../operators/index.js';

/** Options of every stream that polls values. */
export interface WatchOptions {
  /**
   * Each value polls at once, such as after an order; during a poll, directly after it. When this observable fails or
   * completes, the polls go on every `everyMs`. To keep it alive, handle its errors first, such as by `retry`.
   *
   * @default none
   */
  readonly refreshOn?: Observable<unknown>;
  /**
   * `true` pauses after the current poll. `false` resumes with a poll at once. An error of this observable ends the
   * stream.
   *
   * @default never paused
   */
  readonly pauseWhile?: Observable<boolean>;
  /**
   * The pause between two polls, milliseconds, above 0. After a failed poll, a random pause is added: at most `everyMs`,
   * twice as much with each further failure, and at most 60 s.
   *
   * @default 5000
   */
  readonly everyMs?: number;
  /**
   * Returns a random number from 0 to 1, for the jitter of the backoff. The client's `retry: { random }` is not used
   * here: for a reproducible run, pass the same function.
   *
   * @default Math.random
   */
  readonly random?: () => number;
}

/** The rules of the options that every stream has. */
export const watchRules: OptionRules<WatchOptions> = {
  everyMs: durationAbove0,
  refreshOn: anObservable(),
  pauseWhile: anObservable(),
  random: aFunction(),
};

/** The maximum additional pause after a failed poll, milliseconds. */
const maxBackoffMs = 60_000;

/** A value and when it was read. */
export interface Read<Value> {
  readonly value: Value;
  /** When the first request was sent, or the value was received, Unix ms. */
  readonly readAt: number;
  /** The same moment by `performance.now()`, which no change of the clock moves. */
  readonly monotonicReadAt: number;
}

/** The result of a poll. */
export type Poll<Value> =
  ({ readonly kind: 'polled' } & Read<Value>) | { readonly kind: 'failed'; readonly error: AnyExchangeError };

/** The options of a stream, with its own pause. */
export type PollsOptions = WatchOptions & { readonly everyMs: number };

/**
 * Reads again and again. The reads have no retries: the next poll is the retry. The
 * observable fails with {@link RequestError}, with an error of the program, and with that of
 * `pauseWhile`.
 */
export function polls<Value>(
  read: (call: CallOptions) => Observable<Value>,
  { everyMs, random = Math.random, refreshOn = NEVER, pauseWhile = NEVER }: PollsOptions,
): Observable<Poll<Value>> {
  return defer(() => {
    let failures = 0;
    const pauseMs = (last: Poll<Value> | undefined) => {
      failures = last?.kind === 'failed' ? failures + 1 : 0;
      if (last?.kind !== 'failed') return everyMs;
      const backoffMs = retryDelayMs({ baseDelayMs: everyMs, maxDelayMs: maxBackoffMs, random }, failures, last.error);
      return Math.min(maxTimerMs, everyMs + backoffMs);
    };
    const round$ = defer(() => {
      let readAt = now();
      let isSent = false;
      const onEvent = ({ type }: CallEvent) => {
        if (type !== 'request' || isSent) return;
        [readAt, isSent] = [now(), true];
      };
      return read({ retry: false, onEvent }).pipe(map((value): Poll<Value> => ({ kind: 'polled', value, ...readAt })));
    });
    return round$.pipe(
      // A failed poll is emitted at once: the next poll is the retry.
      catchError((error: unknown) => of(failedPoll(error))),
      poll({ everyMs: pauseMs, refreshOn: refreshOn.pipe(catchError(() => EMPTY)), pauseWhile }),
    );
  });
}

/** By both clocks: the clock of the machine may be set back, and the monotonic one may stop while the machine sleeps. */
function now(): Omit<Read<unknown>, 'value'> {
  return { readAt: Date.now(), monotonicReadAt: performance.now() };
}

/** Failures of requests are values of the stream; a bug of the program, or missing credentials, end it. */
function failedPoll(error: unknown): { readonly kind: 'failed'; readonly error: AnyExchangeError } {
  if (!isExchangeError(error) || error instanceof RequestError) throw error;
  return { kind: 'failed', error };
}
