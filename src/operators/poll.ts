// poll(): subscribes to a source again after each completion.
import {
  BehaviorSubject,
  defer,
  filter,
  ignoreElements,
  merge,
  NEVER,
  repeat,
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
}

const pollOptions = optionsOf<PollOptions>(
  {
    everyMs: v.lazy((value) => (typeof value === 'function' ? aFunction<(last: unknown) => number>() : durationAbove0)),
    refreshOn: anObservable(),
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
  const { everyMs, refreshOn = NEVER } = parse('poll', pollOptions, options);
  return (source) =>
    defer(() => {
      const isRefreshed = new BehaviorSubject(false);
      let last: T | undefined;
      const refreshes$ = refreshOn.pipe(
        tap(() => {
          isRefreshed.next(true);
        }),
        ignoreElements(),
      );
      const round$ = defer(() => {
        isRefreshed.next(false);
        last = undefined;
        return source.pipe(tap((value) => (last = value)));
      });
      const due = () => {
        const pauseMs = typeof everyMs === 'number' ? everyMs : everyMs(last);
        parse('poll', durationAbove0, pauseMs, 'everyMs');
        return merge(timer(pauseMs), isRefreshed.pipe(filter(Boolean)));
      };
      return merge(refreshes$, round$.pipe(repeat({ delay: due })));
    });
}
