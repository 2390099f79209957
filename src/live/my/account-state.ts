// The values of a state of the account, such as its balances: a recovery keeps what is known of it true.
import { Observable, ReplaySubject, share } from 'rxjs';
import type { Part } from '../channels/read.js';
import { everyKey, type KeySubscriptions } from '../channel.js';
import { Recovery, type ReadKind, type RecoveryOptions } from '../recovery/index.js';
import type { RefusedError } from '../state-stream.js';
import { bridgeStates, isSameState, withPush, type Apply, type RecentPushes } from './known-state.js';

/** What every value of the account has. */
export interface AccountStatus {
  /**
   * `live`: the value is whole, and nothing that the exchange has pushed is missing. A change that it did not push is
   * missing until the value is read again, each minute. `stale`: the connection was lost, a message was unreadable, the
   * value is not whole, or that read has failed. The next live value ends it.
   */
  readonly status: 'live' | 'stale';
  /** When the value was received, Unix ms by this machine's clock. */
  readonly receivedAt: number;
}

/** How a state is made of the pushes of a channel. */
export interface AccountSource<State> {
  readonly subscriptions: KeySubscriptions<Part<State>>;
  readonly refusedError: RefusedError;
  /** Reads the whole state. Left out: nothing does. */
  readonly read?: () => Observable<Part<State>>;
  /** Whether each push is whole. Else it is a change of the state. */
  readonly isWholePushed: boolean;
  /** The state after a push. */
  readonly apply: Apply<State>;
  readonly random: () => number;
}

/** A state and its status. */
export interface AccountValue<State> extends AccountStatus {
  readonly state: State;
}

/**
 * Pushed changes have no numbers: one that was lost shows only in the whole state. And after this time without a whole
 * list, nobody knows whether the exchange still pushes it.
 */
const auditMs = 60_000;
/** A channel whose pushes stay unreadable must not be read all the time, nor in step with them: half of it is random. */
const maxBrokenMs = 5000;
/** The exchange pushes whole lists each second or two: without one, there may be nothing to push. */
const listAfterMs = 3000;
/** The exchange pushes changes each 1.5 s, and a read that is sent just after a push may be of a server that lags behind. */
const recentMs = 2000;
/** Pushes that came within this time, or during a read, are kept as one. */
const togetherMs = 100;

/** The values of a state. Subscribers share one subscription; a late one gets the last value at once. */
export function accountState<State>(source: AccountSource<State>): Observable<AccountValue<State>> {
  const { subscriptions, refusedError, read, isWholePushed, apply, random } = source;
  return new Observable<AccountValue<State>>((subscriber) => {
    let last: AccountValue<State> | undefined;
    /** What is known since the last interruption. */
    let known: Part<State> | undefined;
    /** The pushes since shortly before the read in flight, or before now. */
    let recent: readonly RecentPushes<State>[] = [];
    let readAt: number | undefined;
    const emit = (next: Part<State>) => {
      known = next;
      last = { state: next.state, status: next.isWhole ? 'live' : 'stale', receivedAt: Date.now() };
      subscriber.next(last);
    };
    // What was lost since the last whole state does not show: pushes alone make nothing live until the next one.
    const lose = () => {
      known = undefined;
      if (last?.status !== 'live') return;
      last = { ...last, status: 'stale' };
      subscriber.next(last);
    };
    /** Returns whether the push is kept. */
    const keep = (pushed: Part<State>): boolean => {
      const at = performance.now();
      const from = (readAt ?? at) - recentMs;
      const kept = recent.filter((one) => one.at >= from);
      const next = withPush(kept, { at, pushed }, readAt ?? at - togetherMs, apply);
      recent = next ?? [];
      return next !== undefined;
    };
    const data = {
      interrupt() {
        // What was lost may be newer than any of them.
        recent = [];
        lose();
      },
      read() {
        readAt = performance.now();
        const from = readAt - recentMs;
        recent = recent.filter(({ at }) => at >= from);
        return read?.() ?? [];
      },
      bridge(page: Part<State>, kind: ReadKind) {
        readAt = undefined;
        // An interruption may be newer than it.
        if (kind === 'extra') return true;
        const next = bridgeStates(page, recent, apply);
        recent = [];
        if (next === undefined) recovery.interrupt('unreadable');
        else if (!isSameState(known, next)) emit(next);
        return true;
      },
      fail(error: unknown, isLasting: boolean) {
        readAt = undefined;
        if (isLasting) subscriber.error(error);
        else lose();
      },
    };
    const recovery = new Recovery<Part<State>>(data, {
      random,
      ...timesOf(source),
    });
    recovery.follow(subscriptions, everyKey, {
      isState: true,
      onItem(pushed) {
        if (isWholePushed) {
          recovery.settle();
          emit(pushed);
          return;
        }
        const isKept = keep(pushed);
        const next = known === undefined ? undefined : apply(known, pushed);
        if (!isKept || (known !== undefined && next === undefined)) recovery.interrupt('unreadable');
        else if (next !== undefined) emit(next);
      },
      onRefused(refusal) {
        subscriber.error(refusedError(undefined, refusal));
      },
    });
    return () => {
      recovery.end();
    };
  }).pipe(share({ connector: () => new ReplaySubject(1) }));
}

function timesOf<State>({ read, isWholePushed, random }: AccountSource<State>): Omit<RecoveryOptions, 'random'> {
  const never = () => Number.POSITIVE_INFINITY;
  if (read === undefined) return { firstAfterMs: never(), auditAfterMs: never, brokenMs: never };
  return {
    firstAfterMs: isWholePushed ? listAfterMs : 0,
    auditAfterMs: () => auditMs,
    brokenMs: () => ((1 + random()) * maxBrokenMs) / 2,
  };
}
