// poll(): subscribes to a source again after each completion.
import {
  BehaviorSubject,
  concat,
  defer,
  filter,
  ignoreElements,
  merge,
  NEVER,
  repeat,
  take,
  tap,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import * as v from 'valibot';
import { aFunction, anObservable, durationAbove0, optionsOf, parse } from '../errors/index.js';

/** Options of {@link poll}. */
export interface PollOptions<T = unknown> {
  /**
   * The pause between the end of one round and the start of the next, milliseconds, above 0; or a function that returns
   * the pause. The function gets the last value of the round, or `undefined` when the round had none.
   */
  readonly everyMs: number | ((last: T | undefined) => number);
  /**
   * Each value starts a round at once. A value that comes during a round starts the next round directly after it,
   * because the response in flight may be older than the value. An error of this observable ends the polling.
   *
   * @default none
   */
  readonly refreshOn?: Observable<unknown>;
  /**
   * `true` pauses after the current round. `false` resumes with a round at once. An error of this observable ends the
   * polling.
   *
   * @default never paused
   */
  readonly pauseWhile?: Observable<boolean>;
}

const pollOptions = optionsOf<PollOptions>(
  {
    everyMs: v.lazy((value) => (typeof value === 'function' ? aFunction<(last: unknown) => number>() : durationAbove0)),
    refreshOn: anObservable(),
    pauseWhile: anObservable(),
  },
  ['everyMs'],
);

/**
 * Subscribes to the source at once, and again `everyMs` after each completion. At most one round is in progress, so a
 * slow exchange is polled more slowly. An error of the source ends the polling: to go on, put `retry` or `catchError`
 * before this operator.
 *
 * The observable fails with {@link RequestError} when the function `everyMs` returns an invalid pause.
 *
 * ```text
 * source:                 --a|
 * poll({ everyMs: 3 }):   --a-----a-----a--
 * ```
 *
 * @example
 * ```ts
 * import { poll, type Exchange } from 'exchange-rx';
 *
 * const pings = (exchange: Exchange) => exchange.public.ping().pipe(poll({ everyMs: 1000 }));
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function poll<T>(options: PollOptions<T>): MonoTypeOperatorFunction<T> {
  const { everyMs, refreshOn = NEVER, pauseWhile = NEVER } = parse('poll', pollOptions, options);
  return (source) =>
    defer(() => {
      const isPaused = new BehaviorSubject(false);
      const refreshes = new BehaviorSubject(0);
      let refreshesSeen = 0;
      let last: T | undefined;

      const notifiers$ = merge(
        pauseWhile.pipe(
          tap((paused) => {
            isPaused.next(paused);
          }),
        ),
        refreshOn.pipe(
          tap(() => {
            refreshes.next(refreshes.value + 1);
          }),
        ),
      ).pipe(ignoreElements());
      const resumed$ = isPaused.pipe(
        filter((paused) => !paused),
        take(1),
        ignoreElements(),
      );
      const round$ = defer(() => {
        refreshesSeen = refreshes.value;
        last = undefined;
        return source.pipe(tap((value) => (last = value)));
      });
      const due = () => {
        const pauseMs = typeof everyMs === 'number' ? everyMs : everyMs(last);
        parse('poll', durationAbove0, pauseMs, 'everyMs');
        const refreshed$ = refreshes.pipe(filter((count) => count > refreshesSeen));
        return merge(timer(pauseMs), refreshed$, isPaused.pipe(filter((paused) => paused)));
      };
      return merge(notifiers$, concat(resumed$, round$).pipe(repeat({ delay: due })));
    });
}
