// Values of the live connection, and polls while it has none.
import {
  combineLatest,
  connect,
  distinctUntilChanged,
  map,
  merge,
  NEVER,
  of,
  startWith,
  switchMap,
  timer,
  type Observable,
} from 'rxjs';
import { polls, type Poll, type PollsOptions, type Read } from './polls.js';

/** A value of the live connection. `interrupted`: it was lost, or its last value may be outdated. */
export type Push<Value> = ({ readonly kind: 'live' } & Read<Value>) | { readonly kind: 'interrupted' };

/**
 * What a state is made of.
 * - `connecting`: the live connection has no value yet.
 * - `paused`: the stream has left the live connection, because of `pauseWhile`.
 */
export type Reading<Value> = Poll<Value> | Push<Value> | { readonly kind: 'connecting' | 'paused' };

/**
 * The polls. With a live connection: its values, and polls while it has none; after an interruption, not before
 * `everyMs`. A pause of the polls is one of the live connection, too.
 */
export function liveOrPolls<Value>(
  read: Parameters<typeof polls<Value>>[0],
  live$: Observable<Push<Value>> | undefined,
  options: PollsOptions,
): Observable<Reading<Value>> {
  if (live$ === undefined) return polls(read, options);
  const { everyMs, pauseWhile = NEVER } = options;
  // Of several values that pauseWhile emits at once, combineLatest passes the last one on.
  const isPaused$ = combineLatest([pauseWhile.pipe(startWith(false)), of(true)]).pipe(
    map(([isPaused]) => isPaused),
    distinctUntilChanged(),
  );
  const pushes$ = isPaused$.pipe(
    switchMap((isPaused) =>
      isPaused ? of<Reading<Value>>({ kind: 'paused' }) : live$.pipe(startWith<Reading<Value>>({ kind: 'connecting' })),
    ),
  );
  const isEnough$ = (pushed$: Observable<Reading<Value>>) =>
    pushed$.pipe(
      map(({ kind }) => kind),
      distinctUntilChanged(),
      switchMap((kind) => (kind === 'interrupted' ? timer(everyMs).pipe(map(() => false)) : of(kind !== 'connecting'))),
      // The first push, or a pause, comes at once.
      startWith(true),
      distinctUntilChanged(),
    );
  return pushes$.pipe(
    connect((pushed$) => merge(polls(read, { ...options, pauseWhile: isEnough$(pushed$) }), pushed$)),
  );
}
