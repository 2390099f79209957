// Subscribes to a source again and again: what every polling stream is made of.
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
import { anObservable, checkArgument, checkByRules, durationAbove0, type OptionRules } from '../errors/index.js';

/** Options of {@link poll}. */
export interface PollOptions<T = unknown> {
  /**
   * The pause between the end of one round and the start of the next, milliseconds, above 0; or what makes it of the
   * round's last value, which is `undefined` when the round had none.
   */
  readonly everyMs: number | ((last: T | undefined) => number);
  /**
   * Each value asks for a round at once. One that comes while a round is under way gets the next directly after it,
   * since the answer on the way may be older than what is asked for. An error of it ends the polling.
   */
  readonly refreshOn?: Observable<unknown>;
  /**
   * `true` pauses: the round under way is the last. `false` resumes, with a round at once. Default: it is not paused.
   * An error of it ends the polling.
   */
  readonly pauseWhile?: Observable<boolean>;
}

const rules: OptionRules<PollOptions> = {
  everyMs: (value, where) => (typeof value === 'function' ? undefined : durationAbove0(value, where)),
  refreshOn: anObservable,
  pauseWhile: anObservable,
};

/**
 * Subscribes at once, and again `everyMs` after each completion. There is never more than one round under way, so a
 * slow exchange is polled more slowly. An error ends the polling: put a `retry` or a `catchError` before it to go on.
 * Throws {@link RequestError} for bad options, and ends with one when a function gives no pause.
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
 */
export function poll<T>(options: PollOptions<T>): MonoTypeOperatorFunction<T> {
  checkByRules('poll', options, rules, ['everyMs']);
  const { everyMs, refreshOn = NEVER, pauseWhile = NEVER } = options;
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
        checkArgument('poll', 'everyMs', pauseMs, durationAbove0);
        const refreshed$ = refreshes.pipe(filter((count) => count > refreshesSeen));
        return merge(timer(pauseMs), refreshed$, isPaused.pipe(filter((paused) => paused)));
      };
      return merge(notifiers$, concat(resumed$, round$).pipe(repeat({ delay: due })));
    });
}
