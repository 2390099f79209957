// A state of the account, such as its balances: subscribed, read, merged, and kept true by pushes.
import { defer, Observable, ReplaySubject, retry, share, switchMap, throwError, timer, type Subscription } from 'rxjs';
import { backoff } from '../../call/index.js';
import { isRecord } from '../../model/map.js';
import type { Part } from '../channels/read.js';
import { isLasting } from '../connection/index.js';
import { everyKey, type Interruption, type KeySubscriptions } from '../channel.js';
import type { RefusedError } from '../state-stream.js';

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
  /** Reads the whole state. Left out: each push is whole, and there is nothing else to read. */
  readonly read?: () => Observable<Part<State>>;
  /** How long a push is awaited before the state is read, milliseconds. */
  readonly readAfterMs: number;
  /** The state with these changes, the last of which is the newest. Left out: each push is whole. */
  readonly merge?: (state: State, changes: readonly State[]) => State;
  /** The records of a push by name, each as a change of its own. */
  readonly changesOf?: (changes: State) => readonly (readonly [name: string, change: State])[];
  /** The number of records of a state that is merged. */
  readonly sizeOf?: (state: State) => number;
  readonly random: () => number;
}

/** A state and its status. */
export interface AccountValue<State> extends AccountStatus {
  readonly state: State;
}

const baseDelayMs = 500;
const maxDelayMs = 30_000;
/** A channel whose pushes stay unreadable must not be read all the time, nor in step with them: half of it is random. */
const afterUnreadableMs = 5000;
/**
 * Pushed changes have no numbers: one that was lost shows only in the whole state. And after this time without a whole
 * list, nobody knows whether the exchange still pushes it.
 */
const auditMs = 60_000;
/** Records of a merged state: more than the exchange has assets, and about what a whole response may have. */
const maxSize = 10_000;
/** The exchange pushes changes each 1.5 s, and a read that is sent just after a push may be of a server that lags behind. */
const recentMs = 2000;

/** The values of a state. Subscribers share one subscription; a late one gets the last value at once. */
export function accountState<State>(source: AccountSource<State>): Observable<AccountValue<State>> {
  const {
    subscriptions,
    refusedError,
    read,
    readAfterMs,
    merge,
    changesOf = () => [],
    sizeOf = () => 0,
    random,
  } = source;
  return new Observable<AccountValue<State>>((subscriber) => {
    let last: AccountValue<State> | undefined;
    /**
     * The newest change of each record since the last whole state, oldest first. Those of about the time of a read win over what it reads: where that is newer, the
     * exchange pushes it, too, within its interval.
     */
    const recent = new Map<string, { readonly at: number; readonly change: State }>();
    /** What is known since the last interruption. */
    let base: Part<State> | undefined;
    let isConfirmed = false;
    let reading: Subscription | undefined;
    /** Whether its request was sent; before, it is due at this time, by `performance.now()`. */
    let isSent = false;
    let dueAt = 0;
    const emit = (part: Part<State>) => {
      const { state, isWhole } = part;
      base = part;
      last = { state, status: isWhole ? 'live' : 'stale', receivedAt: Date.now() };
      subscriber.next(last);
    };
    const dropOldChanges = () => {
      const recentFrom = performance.now() - recentMs;
      for (const [name, { at }] of recent) {
        if (at >= recentFrom) return;
        recent.delete(name);
      }
    };
    const stopReading = () => {
      reading?.unsubscribe();
      isSent = false;
      dueAt = Number.POSITIVE_INFINITY;
    };
    const readIn = (afterMs: number) => {
      if (read === undefined) return;
      stopReading();
      dueAt = performance.now() + afterMs;
      const sent = () => {
        isSent = true;
        dropOldChanges();
        return read();
      };
      // What was lost since the last whole state does not show: pushes alone make nothing live until the next one.
      const failed = () => {
        base = undefined;
        setStale();
      };
      reading = readWhole(sent, afterMs, random, failed).subscribe({
        next({ state, isWhole }) {
          const newest =
            merge === undefined
              ? state
              : merge(
                  state,
                  [...recent.values()].map(({ change }) => change),
                );
          recent.clear();
          // First: the last subscriber may leave inside of a value.
          readIn(auditMs);
          if (base?.isWhole !== isWhole || textOf(base.state) !== textOf(newest)) emit({ state: newest, isWhole });
        },
        error(error: unknown) {
          subscriber.error(error);
        },
      });
    };
    const setStale = () => {
      if (last?.status !== 'live') return;
      last = { ...last, status: 'stale' };
      subscriber.next(last);
    };
    const interrupt = (reason: Interruption) => {
      // What was lost may be newer than any of them.
      recent.clear();
      base = undefined;
      if (reason !== 'unreadable') {
        isConfirmed = false;
        stopReading();
      } else if (isConfirmed && (isSent || dueAt > performance.now() + afterUnreadableMs))
        readIn(((1 + random()) * afterUnreadableMs) / 2);
      setStale();
    };
    const end = subscriptions.follow(everyKey, {
      isState: true,
      onSubscribed() {
        isConfirmed = true;
        readIn(readAfterMs);
      },
      onItem(part) {
        if (merge === undefined) {
          readIn(auditMs);
          emit(part);
          return;
        }
        if (!isSent) dropOldChanges();
        const at = performance.now();
        for (const [name, change] of changesOf(part.state)) {
          recent.delete(name);
          recent.set(name, { at, change });
        }
        const state = base === undefined ? undefined : merge(base.state, [part.state]);
        if (Math.max(recent.size, state === undefined ? 0 : sizeOf(state)) > maxSize) interrupt('unreadable');
        else if (base !== undefined && state !== undefined) emit({ state, isWhole: base.isWhole && part.isWhole });
      },
      onInterrupted: interrupt,
      onRefused(refusal) {
        subscriber.error(refusedError(undefined, refusal));
      },
    });
    return () => {
      end();
      stopReading();
    };
  }).pipe(share({ connector: () => new ReplaySubject(1) }));
}

/** Retries until the state is read, or until an error shows that it never will be. */
function readWhole<State>(
  read: () => Observable<Part<State>>,
  afterMs: number,
  random: () => number,
  onFailure: () => void,
): Observable<Part<State>> {
  const whole$ = defer(read).pipe(
    retry({
      delay: (error: unknown, count) => {
        if (isLasting(error)) return throwError(() => error);
        onFailure();
        return timer(random() * backoff(count + 1, baseDelayMs, maxDelayMs));
      },
    }),
  );
  return afterMs === 0 ? whole$ : timer(afterMs).pipe(switchMap(() => whole$));
}

/** The fields of a push and of a response have different orders. */
function textOf(state: unknown): string {
  const sorted = (_key: string, value: unknown): unknown =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value;
  return JSON.stringify(state, sorted);
}
