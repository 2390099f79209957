// Values of the live connection, and polls while it has none.
import {
  combineLatest,
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
 * `everyMs`. A live value ends the polls. A pause of the polls is one of the live connection, too.
 */
export function liveOrPolls<Value>(
  read: Parameters<typeof polls<Value>>[0],
  live$: Observable<Push<Value>> | undefined,
  options: PollsOptions,
): Observable<Reading<Value>> {
  if (live$ === undefined) return polls(read, options);
  const { pauseWhile = NEVER, ...whenever } = options;
  // Of several values that pauseWhile emits at once, combineLatest passes the last one on.
  const isPaused$ = combineLatest([pauseWhile.pipe(startWith(false)), of(true)]).pipe(
    map(([isPaused]) => isPaused),
    distinctUntilChanged(),
  );
  const poll$ = polls(read, whenever);
  const withPolls = (push: Reading<Value>): Observable<Reading<Value>> => {
    if (push.kind === 'live') return of(push);
    const waitMs = push.kind === 'connecting' ? 0 : options.everyMs;
    return merge(of(push), waitMs === 0 ? poll$ : timer(waitMs).pipe(switchMap(() => poll$)));
  };
  const reading$ = live$.pipe(
    startWith<Reading<Value>>({ kind: 'connecting' }),
    distinctUntilChanged((one, other) => one.kind === 'interrupted' && other.kind === 'interrupted'),
    switchMap(withPolls),
  );
  return isPaused$.pipe(switchMap((isPaused) => (isPaused ? of<Reading<Value>>({ kind: 'paused' }) : reading$)));
}
