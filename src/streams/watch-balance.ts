// The main balance, watched: polled, with what changed from poll to poll.
import { catchError, defer, EMPTY, map, NEVER, of, ReplaySubject, scan, share, tap, type Observable } from 'rxjs';
import {
  aFunction,
  anObservable,
  type AnyExchangeError,
  checkByRules,
  durationAbove0,
  isExchangeError,
  maxTimerMs,
  type OptionRules,
  RequestError,
} from '../errors/index.js';
import type { CallEvent } from '../client/index.js';
import type { Exchange } from '../exchange.js';
import type { Balance } from '../model/balance.js';
import { noteUnreadable, unreadableIn } from '../model/unreadable.js';
import { poll, type PollOptions } from '../operators/index.js';
import { retryDelayMs } from '../operators/retry-loop.js';
import { balanceChanges, type BalanceChange } from './balance-changes.js';

/** Options of {@link watchBalance}. */
export interface WatchBalanceOptions extends Pick<PollOptions, 'pauseWhile'> {
  /**
   * Each value requests a poll at once, such as when an order was placed; during a poll, directly after it. It is a
   * hint: when it fails or completes, the polls go on every `everyMs`. Handle its errors before, such as by `retry`,
   * when the hints have to come back. Default: none.
   */
  readonly refreshOn?: Observable<unknown>;
  /** The pause between two polls, milliseconds, above 0. Default 5000. */
  readonly everyMs?: number;
  /**
   * The longest that polls which fail are put off further, milliseconds: up to `everyMs` at first, twice that with
   * each. Above 0. Default 60000.
   */
  readonly maxBackoffMs?: number;
  /**
   * Randomness from 0 to 1, for the jitter of the backoff. Default `Math.random`, also where the client has its own in
   * `retry: { random }`: give that one here for a run that can be repeated.
   */
  readonly random?: () => number;
}

const rules: OptionRules<WatchBalanceOptions> = {
  everyMs: durationAbove0,
  maxBackoffMs: durationAbove0,
  refreshOn: anObservable,
  pauseWhile: anObservable,
  random: aFunction,
};

/** The balance as it is known now. */
export interface BalanceUpdate {
  /** What the account holds, by asset; empty before the first poll succeeded. */
  readonly balance: Balance;
  /** What changed since the update before; nothing in the first that a subscriber gets. */
  readonly changes: readonly BalanceChange[];
  /**
   * How old the balance is, Unix ms by this machine's clock: when the request of the last poll that succeeded was sent.
   * What changed after that may be missing. `undefined` before a poll succeeded.
   */
  readonly readAt: number | undefined;
  /**
   * Whether the balance may have changed without a poll that noticed it: the last poll failed; or, for who subscribes
   * during a pause, the polls are paused and `readAt` is more than `everyMs` ago. A pause alone emits nothing.
   */
  readonly stale: boolean;
  /**
   * The assets whose balance could not be read in the last poll that succeeded, although the response had them: usually
   * none. They keep the balance of an earlier poll, `"0"` where that poll did not have them, and are missing from
   * `balance` when none was read. They have no change.
   */
  readonly staleAssets: readonly string[];
  /** Why the last poll failed; absent when it did not. */
  readonly error?: AnyExchangeError;
}

type Poll = { readonly balance: Balance; readonly readAt: number } | { readonly error: AnyExchangeError };

/**
 * Watches the main balance: emits after every poll, with what changed since the one before and the time at which the
 * balance was requested. A poll that fails does not end the stream: it marks the balance as stale, and the polls back
 * off until one succeeds. For changes only, filter by `changes.length > 0`. Subscribers to the same observable share
 * its polls, a late one gets the last balance at once, and the last to leave stops them. Polls have the priority
 * `background`, and there is never more than one.
 *
 * Throws {@link RequestError} for bad options. Ends with one when the client has no credentials, and with an error of
 * `pauseWhile`.
 *
 * `POST /api/v4/main-account/balance` · private · limit group `mainBalance`, 1000 requests / 10 s
 *
 * @example
 * ```ts
 * import { createExchange, watchBalance } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import { take } from 'rxjs';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * watchBalance(exchange, { everyMs: 1000 })
 *   .pipe(take(1))
 *   .subscribe(({ balance }) => console.log(balance['BTC']?.main_balance ?? '0'));
 * ```
 */
export function watchBalance(
  exchange: Pick<Exchange, 'account'>,
  options: WatchBalanceOptions = {},
): Observable<BalanceUpdate> {
  checkByRules('watchBalance', options, rules);
  const {
    everyMs = 5000,
    maxBackoffMs = 60_000,
    random = Math.random,
    refreshOn = NEVER,
    pauseWhile = NEVER,
  } = options;
  const hint$ = refreshOn.pipe(catchError(() => EMPTY));
  let isPaused = false;
  const pauses$ = pauseWhile.pipe(
    tap((paused) => {
      isPaused = paused;
    }),
  );

  const updates$ = defer(() => {
    let failures = 0;
    let sentAt = 0;
    isPaused = false;
    const onEvent = ({ type }: CallEvent) => {
      if (type === 'request') sentAt = Date.now();
    };
    const pauseMs = (last: Poll | undefined) => {
      if (last === undefined || !('error' in last)) return everyMs;
      const backoffMs = retryDelayMs({ baseDelayMs: everyMs, maxDelayMs: maxBackoffMs, random }, failures, last.error);
      return Math.min(maxTimerMs, everyMs + backoffMs);
    };
    const balance$ = defer(() => {
      sentAt = Date.now();
      // The stream tries again by itself: a poll that fails is told at once.
      return exchange.account.mainBalance({ priority: 'background', retry: false, onEvent });
    });
    return balance$.pipe(
      map((balance): Poll => ({ balance, readAt: sentAt })),
      catchError((error: unknown) => of(failedPoll(error))),
      tap((polled) => {
        failures = 'error' in polled ? failures + 1 : 0;
      }),
      poll({ everyMs: pauseMs, refreshOn: hint$, pauseWhile: pauses$ }),
    );
  });
  const isOverdue = ({ readAt }: BalanceUpdate) => isPaused && readAt !== undefined && Date.now() - readAt > everyMs;
  return updates$.pipe(
    scan(updateOf, nothing),
    share({ connector: () => new ReplaySubject(1) }),
    // What changed before a subscriber came is no change to it, and what it gets may have been kept through a pause.
    map((update, index) =>
      index === 0 ? { ...update, changes: [], stale: update.stale || isOverdue(update) } : update,
    ),
  );
}

const nothing: BalanceUpdate = { balance: {}, changes: [], readAt: undefined, stale: false, staleAssets: [] };

function updateOf(last: BalanceUpdate, poll: Poll): BalanceUpdate {
  if ('error' in poll) return { ...last, changes: [], stale: true, error: poll.error };
  const balance = withLastOf(last, poll.balance);
  const changes = last.readAt === undefined ? [] : balanceChanges(last.balance, balance);
  return { balance, changes, readAt: poll.readAt, stale: false, staleAssets: unreadableIn(balance)?.keys ?? [] };
}

/** An asset that cannot be read has not gone: it keeps what it had. */
function withLastOf(last: BalanceUpdate, polled: Balance): Balance {
  const unreadable = unreadableIn(polled);
  if (unreadable?.keys === undefined) return polled;
  const lastUnread = new Set(last.staleAssets);
  const wasRead = (asset: string) => last.readAt !== undefined && !lastUnread.has(asset);
  const kept = unreadable.keys.flatMap((asset) => {
    const before = Object.hasOwn(last.balance, asset) ? last.balance[asset] : undefined;
    if (before !== undefined) return [[asset, before] as const];
    return wasRead(asset) ? [[asset, { main_balance: '0' }] as const] : [];
  });
  const balance: Balance = { ...polled, ...Object.fromEntries(kept) };
  noteUnreadable(balance, unreadable);
  return balance;
}

/**
 * Failures of the exchange are values of the stream; a fault of the program, and what can never succeed, are not
 * hidden.
 */
function failedPoll(error: unknown): Poll {
  if (!isExchangeError(error) || error instanceof RequestError) throw error;
  return { error };
}
