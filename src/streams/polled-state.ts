// A watched state: the last value that was read or pushed, and whether it may be outdated. Shared by its subscribers.
import { BehaviorSubject, defer, filter, map, ReplaySubject, scan, share, tap, type Observable } from 'rxjs';
import type { AnyExchangeError } from '../errors/index.js';
import type { CallOptions } from '../client/index.js';
import { liveOrPolls, type Input, type Interruption } from './live-or-polls.js';
import { polls, type PolledValue, type PollsOptions } from './polls.js';

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
  /** The state before the first successful poll. */
  readonly nothing: State;
  /** The state after a poll; `last` is `undefined` after the first successful one. */
  readonly next: (value: Value, last: State | undefined) => State;
  /** The state without the changes of its last poll. */
  readonly withoutChanges: (state: State) => State;
  /** Values of the live connection; it polls while there are none. Default: it polls only. */
  readonly live$?: Observable<PolledValue<Value> | Interruption> | undefined;
}

/** How much older than `everyMs` a state may be: two requests of half a second. */
const requestAllowanceMs = 1000;

/**
 * Emits the state after every poll, and every live value. Subscribers share them, a late subscriber gets the last update
 * at once, and the last one to unsubscribe stops the polls.
 */
export function polledState<Value, State extends object>(
  { read, nothing, next, withoutChanges, live$ }: StateSource<Value, State>,
  options: PollsOptions,
): Observable<State & StateUpdate> {
  type Update = State & StateUpdate;
  type Push = PolledValue<Value>;
  interface Timed {
    readonly update: Update;
    readonly monotonicReadAt: number;
    /** Whether the live connection keeps the state true, however long ago it changed. */
    readonly isLive: boolean;
    /** Whether the last input says something about the state. */
    readonly isNews: boolean;
  }
  // By both clocks: the clock of the machine may be set back, and the monotonic one may stop while the machine sleeps.
  const isOverdue = ({ update: { readAt }, monotonicReadAt, isLive }: Timed) =>
    readAt !== undefined &&
    !isLive &&
    Math.max(Date.now() - readAt, performance.now() - monotonicReadAt) > options.everyMs + requestAllowanceMs;
  const staleOf = ({ update }: Timed): Update => ({ ...update, ...withoutChanges(update), stale: true });
  const freshOf = ({ update: last }: Timed, { value, readAt, monotonicReadAt }: Push, isLive: boolean): Timed => {
    const state = next(value, last.readAt === undefined ? undefined : last);
    return { update: { ...state, readAt, stale: false }, monotonicReadAt, isLive, isNews: true };
  };
  const timedOf = (last: Timed, input: Input<Value, Push>): Timed => {
    if (input.from === 'live') {
      if (typeof input.push !== 'string') return freshOf(last, input.push, true);
      const isNews = last.isLive && input.push === 'interrupted';
      return { ...last, ...(isNews ? { update: staleOf(last) } : {}), isLive: false, isNews };
    }
    const { poll } = input;
    // The response to a request that was sent before the last live value is older than that value.
    if (last.isLive || (!('error' in poll) && poll.monotonicReadAt < last.monotonicReadAt))
      return { ...last, isNews: false };
    if (!('error' in poll)) return freshOf(last, poll, false);
    return { ...last, update: { ...staleOf(last), error: poll.error }, isNews: true };
  };
  const inputs$ = defer((): Observable<Input<Value, Push>> => {
    if (live$ === undefined) return polls(read, options).pipe(map((poll) => ({ from: 'polls', poll })));
    const isEnough$ = new BehaviorSubject(false);
    return liveOrPolls(read, { pushes$: live$, isEnough$ }, options).pipe(
      tap((input) => {
        if (input.from === 'live') isEnough$.next(typeof input.push !== 'string');
      }),
    );
  });
  const nothingYet: Update = { ...nothing, readAt: undefined, stale: false };
  return inputs$.pipe(
    scan(timedOf, { update: nothingYet, monotonicReadAt: 0, isLive: false, isNews: false }),
    share({ connector: () => new ReplaySubject(1) }),
    // To a late subscriber, the last update is news, whatever came after it.
    filter(({ update, isNews }, index) => isNews || (index === 0 && update !== nothingYet)),
    // Changes from before the subscription are no changes to this subscriber, and the update may be old.
    map((timed, index) => {
      const { update } = timed;
      return index === 0 ? { ...update, ...withoutChanges(update), stale: update.stale || isOverdue(timed) } : update;
    }),
  );
}
