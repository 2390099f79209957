// Values of the live connection, and polls while it has none.
import {
  catchError,
  combineLatest,
  defer,
  distinctUntilChanged,
  map,
  merge,
  NEVER,
  of,
  ReplaySubject,
  share,
  startWith,
  switchMap,
  throwError,
  timer,
  type Observable,
} from 'rxjs';
import { isExchangeError, parse, unquoted } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type { Live } from '../live/index.js';
import { polls, type Poll, type PollsOptions } from './polls.js';

/** The option of the streams that the live connection can feed. */
export interface WatchLiveOptions {
  /**
   * `true` takes the values from the live connection, and polls while it has none: at first, while it is down, or when the exchange
   * refuses the account. `everyMs` is then also the minimum time between two live values, and how long the live
   * connection may be interrupted before polls start. While live, `refreshOn` has no effect.
   *
   * @default false
   */
  readonly live?: boolean;
}

/** What `live: true` needs of a client. */
export type LiveSource = Partial<Pick<Exchange, 'live'>>;

/** The live connection if the stream uses it. Throws {@link RequestError} for a client without one. */
export function liveIn(where: string, exchange: LiveSource, { live: isWanted }: WatchLiveOptions): Live | undefined {
  if (isWanted !== true) return undefined;
  const { live } = exchange;
  const isThere = unquoted(
    (value) => value !== undefined,
    'true needs an exchange with `live`, such as that of createExchange()',
  );
  parse(where, isThere, live, 'live');
  return live;
}

/**
 * The live connection says nothing until its next value:
 * - `interrupted`: it was lost, or its last value may be outdated.
 * - `paused`: the stream has left it, because of `pauseWhile`.
 */
export type Interruption = 'interrupted' | 'paused';

/** What the live connection contributes to a stream. */
export interface LiveFeed<Push> {
  readonly pushes$: Observable<Push | Interruption>;
  /** Whether the pushes are enough now. Polls start when they have not been for `everyMs`. */
  readonly isEnough$: Observable<boolean>;
}

/** What such a stream is made of. */
export type Input<Value, Push> =
  | { readonly from: 'polls'; readonly poll: Poll<Value> }
  | { readonly from: 'live'; readonly push: Push | Interruption };

/** Emits all pushes, and polls while the pushes are not enough. A pause of the polls is one of the live connection, too. */
export function liveOrPolls<Value, Push>(
  read: Parameters<typeof polls<Value>>[0],
  { pushes$, isEnough$ }: LiveFeed<Push>,
  options: PollsOptions,
): Observable<Input<Value, Push>> {
  const { everyMs, pauseWhile = NEVER } = options;
  return defer(() => {
    const isPaused$ = pauseWhile.pipe(
      share({ connector: () => new ReplaySubject(1), resetOnComplete: false }),
      startWith(false),
    );
    const isFed$ = isEnough$.pipe(
      distinctUntilChanged(),
      switchMap((isEnough, index) => (isEnough || index === 0 ? of(isEnough) : timer(everyMs).pipe(map(() => false)))),
    );
    const pausePolls$ = combineLatest([isPaused$, isFed$]).pipe(
      map(([isPaused, isFed]) => isPaused || isFed),
      distinctUntilChanged(),
    );
    const polls$ = polls(read, {
      ...options,
      pauseWhile: pausePolls$,
    });
    const live$ = isPaused$.pipe(
      distinctUntilChanged(),
      switchMap((isPaused): Observable<Push | Interruption> => (isPaused ? of('paused') : pushes$)),
    );
    return merge(
      polls$.pipe(map((poll): Input<Value, Push> => ({ from: 'polls', poll }))),
      live$.pipe(map((push): Input<Value, Push> => ({ from: 'live', push }))),
    );
  });
}

/**
 * Nothing is live of a market that the exchange refuses, or of an account whose connection it refuses: the polls report
 * what they make of it.
 */
export function unlessRefused<Push>(source: Observable<Push>): Observable<Push | Interruption> {
  return source.pipe(
    catchError((error: unknown) =>
      isExchangeError(error) && error.kind !== 'request' ? of<Interruption>('interrupted') : throwError(() => error),
    ),
  );
}
