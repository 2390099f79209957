// A watched state: the last value that was read, and whether it may be outdated. Shared by its subscribers.
import { map, ReplaySubject, scan, share, type Observable } from 'rxjs';
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
   * Whether the state may be outdated, because the last poll failed. Also `true` in the first update of a late
   * subscriber when the state was read more than `everyMs` and 1 s ago, such as in a pause or while a poll hangs. The
   * time of a pause or of a hanging poll emits no update.
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

/** How much older than `everyMs` a state may be: two requests of half a second. */
const requestAllowanceMs = 1000;

/**
 * Emits the state after every poll. Subscribers share the polls, a late subscriber gets the last update at once, and the
 * last one to unsubscribe stops the polls.
 */
export function polledState<Value, State extends object>(
  { read, nothing, next, withoutChanges }: StateSource<Value, State>,
  options: PollsOptions,
): Observable<State & StateUpdate> {
  type Update = State & StateUpdate;
  interface Timed {
    readonly update: Update;
    readonly monotonicReadAt: number;
  }
  // By both clocks: the clock of the machine may be set back, and the monotonic one may stop while the machine sleeps.
  const isOverdue = ({ update: { readAt }, monotonicReadAt }: Timed) =>
    readAt !== undefined &&
    Math.max(Date.now() - readAt, performance.now() - monotonicReadAt) > options.everyMs + requestAllowanceMs;
  const timedOf = ({ update: last, monotonicReadAt }: Timed, poll: Poll<Value>): Timed => {
    if ('error' in poll)
      return { update: { ...last, ...withoutChanges(last), stale: true, error: poll.error }, monotonicReadAt };
    const state = next(poll.value, last.readAt === undefined ? undefined : last);
    return {
      update: { ...state, readAt: poll.readAt, stale: false },
      monotonicReadAt: poll.monotonicReadAt,
    };
  };
  return polls(read, options).pipe(
    scan(timedOf, { update: { ...nothing, readAt: undefined, stale: false }, monotonicReadAt: 0 }),
    share({ connector: () => new ReplaySubject(1) }),
    // Changes from before the subscription are no changes to this subscriber, and the update may be old.
    map((timed, index) => {
      const { update } = timed;
      return index === 0 ? { ...update, ...withoutChanges(update), stale: update.stale || isOverdue(timed) } : update;
    }),
  );
}
