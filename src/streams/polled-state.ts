// A watched state: the last value that was read or pushed, and whether it may be outdated. Shared by its subscribers.
import { filter, map, ReplaySubject, scan, share, type Observable } from 'rxjs';
import type { AnyExchangeError } from '../errors/index.js';
import type { CallOptions } from '../client/index.js';
import { liveOrPolls, type Push, type Reading } from './live-or-polls.js';
import type { PollsOptions } from './polls.js';

/** What every update of a watched state has. */
export interface StateUpdate {
  /**
   * When the request of the last successful poll was sent, Unix ms by this machine's clock; of several requests, the
   * first. Of a live value: when it was received. Later changes may be missing. `undefined` before the first value.
   */
  readonly readAt: number | undefined;
  /**
   * Whether the state may be outdated, because the last poll failed, or because the live connection was interrupted and
   * no poll has succeeded since. Also `true` in the first update of a late subscriber when the last poll was more than
   * `everyMs` and 1 s ago, such as in a pause or while a poll hangs. The time of a pause or of a hanging poll emits no
   * update.
   */
  readonly stale: boolean;
  /** The error of the last poll; absent when it succeeded. */
  readonly error?: AnyExchangeError;
}

/** How a state is read, and how it changes with what was read. */
export interface StateSource<Value, State> {
  /** One poll. A response that is no true state fails. */
  readonly read: (call: CallOptions) => Observable<Value>;
  /** Values of the live connection. Default: it polls only. */
  readonly live$?: Observable<Push<Value>> | undefined;
  /** The state before the first value. */
  readonly nothing: State;
  /** The state after a value; `last` is `undefined` after the first one. */
  readonly next: (value: Value, last: State | undefined) => State;
}

interface Known<Update> {
  readonly update: Update;
  /** {@link StateUpdate.readAt} by `performance.now()`. */
  readonly monotonicReadAt: number;
  /** Whether the live connection keeps the state true, however long ago it changed. */
  readonly isLive: boolean;
  /** Whether the last reading says something about the state. */
  readonly isNews: boolean;
}

/** How much older than `everyMs` a state may be: two requests of half a second. */
const requestAllowanceMs = 1000;

/**
 * Emits the state after every poll, and every live value. Subscribers share them, a late subscriber gets the last update
 * at once, and the last one to unsubscribe stops the polls.
 */
export function polledState<Value, State extends { readonly changes: readonly unknown[] }>(
  { read, live$, nothing, next }: StateSource<Value, State>,
  options: PollsOptions,
): Observable<State & StateUpdate> {
  type Update = State & StateUpdate;
  const after = (last: Known<Update>, reading: Reading<Value>): Known<Update> => {
    const { update, isLive } = last;
    const outdated = { ...update, changes: [], stale: true };
    switch (reading.kind) {
      case 'polled':
      case 'live': {
        const { value, readAt, monotonicReadAt } = reading;
        const state = next(value, update.readAt === undefined ? undefined : update);
        const isNowLive = reading.kind === 'live';
        return { update: { ...state, readAt, stale: false }, monotonicReadAt, isLive: isNowLive, isNews: true };
      }
      case 'failed':
        return { ...last, update: { ...outdated, error: reading.error }, isNews: true };
      case 'interrupted':
        return { ...last, update: isLive ? outdated : update, isLive: false, isNews: isLive };
      case 'connecting':
      case 'paused':
        return { ...last, isLive: false, isNews: false };
    }
  };
  // By both clocks: the clock of the machine may be set back, and the monotonic one may stop while the machine sleeps.
  const isOverdue = ({ update: { readAt }, monotonicReadAt, isLive }: Known<Update>) =>
    readAt !== undefined &&
    !isLive &&
    Math.max(Date.now() - readAt, performance.now() - monotonicReadAt) > options.everyMs + requestAllowanceMs;
  const nothingYet: Update = { ...nothing, readAt: undefined, stale: false };
  return liveOrPolls(read, live$, options).pipe(
    scan(after, { update: nothingYet, monotonicReadAt: 0, isLive: false, isNews: false }),
    share({ connector: () => new ReplaySubject(1) }),
    // To a late subscriber, the last update is news, whatever came after it.
    filter(({ update, isNews }, index) => isNews || (index === 0 && update !== nothingYet)),
    // Changes from before the subscription are no changes to this subscriber, and the update may be old.
    map((known, index) => {
      const { update } = known;
      return index === 0 ? { ...update, changes: [], stale: update.stale || isOverdue(known) } : update;
    }),
  );
}
