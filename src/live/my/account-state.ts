// The values of a state of the account, such as its balances: a recovery keeps what is known of it true.
import { Observable, ReplaySubject, share } from 'rxjs';
import type { Part } from '../channels/account.js';
import { everyKey, type KeySubscriptions } from '../channel.js';
import { Recovery, type ReadKind } from '../recovery/index.js';

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

/** A state with a push; `undefined` when it is larger than a state can be. */
export type Apply<State> = (known: Part<State>, pushed: Part<State>) => Part<State> | undefined;

/** A value of the account, such as its balances. */
export interface AccountValue<State> extends AccountStatus {
  /** Immutable. */
  readonly value: State;
}

/**
 * Pushed changes have no numbers: one that was lost shows only in the whole state. And after this time without a whole
 * list, the exchange may have stopped pushing it.
 */
const auditMs = 60_000;
/** The exchange pushes whole lists each second or two: without one, there may be nothing to push. */
const listAfterMs = 3000;
/** The exchange pushes changes each 1.5 s, and a read that is sent just after a push may be of a server that lags behind. */
const recentMs = 2000;
/** Pushes that are kept for a read: far more than the exchange pushes in its time. */
const maxRecent = 1000;

/**
 * The values of a state. Subscribers share one subscription; a late one gets the last value at once. Without `read`,
 * nothing reads the whole state; without `apply`, each push is whole.
 */
export function accountState<State>(
  subscriptions: KeySubscriptions<Part<State>>,
  random: () => number,
  read?: () => Observable<Part<State>>,
  apply?: Apply<State>,
): Observable<AccountValue<State>> {
  return new Observable<AccountValue<State>>((subscriber) => {
    let last: AccountValue<State> | undefined;
    /** What is known since the last interruption. */
    let known: Part<State> | undefined;
    /** The pushes since shortly before the read in flight, or before now. */
    let recent: readonly { readonly at: number; readonly pushed: Part<State> }[] = [];
    let readAt: number | undefined;
    const emit = (next: Part<State>) => {
      known = next;
      last = { value: next.state, status: next.isWhole ? 'live' : 'stale', receivedAt: Date.now() };
      subscriber.next(last);
    };
    // What was lost since the last whole state does not show: pushes alone make nothing live until the next one.
    const lose = () => {
      known = undefined;
      if (last?.status !== 'live') return;
      last = { ...last, status: 'stale' };
      subscriber.next(last);
    };
    const recentNow = () => recent.filter(({ at }) => at >= (readAt ?? performance.now()) - recentMs);
    const data = {
      interrupt() {
        // What was lost may be newer than any of them.
        recent = [];
        lose();
      },
      read() {
        readAt = performance.now();
        recent = recentNow();
        return read?.() ?? [];
      },
      bridge(page: Part<State>, kind: ReadKind) {
        readAt = undefined;
        // An interruption may be newer than it.
        if (kind === 'extra') return true;
        const next = apply === undefined ? page : bridged(page, recent, apply);
        recent = [];
        if (next === undefined) recovery.interrupt('unreadable');
        else emit(next);
        return true;
      },
      fail() {
        readAt = undefined;
        lose();
      },
    };
    const never = Number.POSITIVE_INFINITY;
    const recovery = new Recovery<Part<State>>(subscriber, data, {
      random,
      firstAfterMs: read === undefined ? never : apply === undefined ? listAfterMs : 0,
      auditAfterMs: () => (read === undefined ? never : auditMs),
    });
    recovery.follow(subscriptions, everyKey, (pushed) => {
      if (apply === undefined) {
        recovery.settle();
        emit(pushed);
        return;
      }
      recent = [...recentNow(), { at: performance.now(), pushed }];
      const next = known && apply(known, pushed);
      if (recent.length > maxRecent || (known !== undefined && next === undefined)) recovery.interrupt('unreadable');
      else if (next !== undefined) emit(next);
    });
  }).pipe(share({ connector: () => new ReplaySubject(1) }));
}

/**
 * What was read, with the pushes of about its time: where it is newer than they are, the exchange pushes it, too, within
 * its interval. An unreadable record of such a push leaves the read one as it is.
 */
function bridged<State>(
  page: Part<State>,
  recent: readonly { readonly pushed: Part<State> }[],
  apply: Apply<State>,
): Part<State> | undefined {
  return recent.reduce<Part<State> | undefined>(
    (known, { pushed }) => known && apply(known, { ...pushed, isWhole: true }),
    page,
  );
}
