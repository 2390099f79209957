// A watched state: the last value that was read, and whether it may be outdated. Shared by its subscribers.
import { map, NEVER, ReplaySubject, scan, share, tap, type Observable } from 'rxjs';
import type { AnyExchangeError } from '../errors/index.js';
import type { CallOptions } from '../client/index.js';
import { polls, type Poll, type PollsOptions } from './polls.js';

/** What every update of a watched state has. */
export interface StateUpdate {
  /**
   * When the request of the last successful poll was sent, Unix ms by this machine's clock; of several requests, the
   * first. Later changes may be missing. `undefined` before the first successful poll.
   */
  readonly readAt: number | undefined;
  /**
   * Whether the state may be outdated, because the last poll failed. Also `true` in the first update of a subscriber
   * when the polls are paused and `readAt` is more than `everyMs` ago. A pause emits no update.
   */
  readonly stale: boolean;
  /** The error of the last poll; absent when it succeeded. */
  readonly error?: AnyExchangeError;
}

/** How a state is read, and how it changes with what was read. */
export interface StateSource<Value, State> {
  /** One poll. A response that is no true state fails. */
  readonly read: (call: CallOptions) => Observable<Value>;
  /** The state before the first successful poll. */
  readonly nothing: State;
  /** The state after a poll; `last` is `undefined` after the first successful one. */
  readonly next: (value: Value, last: State | undefined) => State;
  /** The state without the changes of its last poll. */
  readonly withoutChanges: (state: State) => State;
}

/**
 * Emits the state after every poll. Subscribers share the polls, a late subscriber gets the last update at once, and the
 * last one to unsubscribe stops the polls.
 */
export function polledState<Value, State extends object>(
  { read, nothing, next, withoutChanges }: StateSource<Value, State>,
  options: PollsOptions,
): Observable<State & StateUpdate> {
  type Update = State & StateUpdate;
  let isPaused = false;
  const pauses$ = (options.pauseWhile ?? NEVER).pipe(
    tap({
      subscribe: () => {
        isPaused = false;
      },
      next: (paused) => {
        isPaused = paused;
      },
    }),
  );
  const isOverdue = ({ readAt }: Update) => isPaused && readAt !== undefined && Date.now() - readAt > options.everyMs;
  const updateOf = (last: Update, poll: Poll<Value>): Update => {
    if ('error' in poll) return { ...last, ...withoutChanges(last), stale: true, error: poll.error };
    const state = next(poll.value, last.readAt === undefined ? undefined : last);
    return { ...state, readAt: poll.readAt, stale: false };
  };
  return polls(read, { ...options, pauseWhile: pauses$ }).pipe(
    scan(updateOf, { ...nothing, readAt: undefined, stale: false }),
    share({ connector: () => new ReplaySubject(1) }),
    // Changes from before the subscription are no changes to this subscriber, and the update may predate a pause.
    map((update, index) =>
      index === 0 ? { ...update, ...withoutChanges(update), stale: update.stale || isOverdue(update) } : update,
    ),
  );
}
