// watchBalance(): polls the main balance and emits it with its changes.
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
   * Each value polls at once, such as after an order; during a poll, directly after it. When this observable fails or
   * completes, the polls go on every `everyMs`. To keep it alive, handle its errors first, such as by `retry`.
   *
   * @default none
   */
  readonly refreshOn?: Observable<unknown>;
  /**
   * The pause between two polls, milliseconds, above 0.
   *
   * @default 5000
   */
  readonly everyMs?: number;
  /**
   * The maximum additional pause after a failed poll, milliseconds, above 0. The bound of the random pause is `everyMs`
   * after the first failure, and doubles with each further one.
   *
   * @default 60000
   */
  readonly maxBackoffMs?: number;
  /**
   * Returns a random number from 0 to 1, for the jitter of the backoff. The client's `retry: { random }` is not used
   * here: for a reproducible run, pass the same function.
   *
   * @default Math.random
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

/** What {@link watchBalance} emits. */
export interface BalanceUpdate {
  /** The main balance by asset; empty before the first successful poll. */
  readonly balance: Balance;
  /** The changes since the previous update; empty in the first update of a subscriber. */
  readonly changes: readonly BalanceChange[];
  /**
   * When the request of the last successful poll was sent, Unix ms by this machine's clock. Later changes may be
   * missing.
   * `undefined` before the first successful poll.
   */
  readonly readAt: number | undefined;
  /**
   * Whether the balance may be outdated, because the last poll failed. Also `true` in the first update of a subscriber
   * when the polls are paused and `readAt` is more than `everyMs` ago. A pause emits no update.
   */
  readonly stale: boolean;
  /**
   * The assets that the last successful poll contained but that could not be read; usually none. They keep the balance
   * of an earlier poll (`"0"` when that poll did not contain them) and have no change. An asset that was never read is
   * missing from `balance`.
   */
  readonly staleAssets: readonly string[];
  /** The error of the last poll; absent when it succeeded. */
  readonly error?: AnyExchangeError;
}

type Poll = { readonly balance: Balance; readonly readAt: number } | { readonly error: AnyExchangeError };

/**
 * Polls the main balance and emits it after every poll, with its changes and the time of the request. A failed poll
 * does not end the stream: it marks the balance as stale, and the pauses grow until a poll succeeds. For changes only,
 * filter by `changes.length > 0`.
 *
 * Subscribers of the same observable share its polls, a late subscriber gets the last balance at once, and the last one
 * to unsubscribe stops the polls. At most one poll is in flight.
 *
 * ```text
 * polls:            1---2---#------3---    #: failure
 * watchBalance():   1---2---s------3---    s: the balance of poll 2, stale, with the error
 * ```
 *
 * Sends `POST /api/v4/main-account/balance` with priority `background`.
 *
 * The observable fails with {@link RequestError} when the client has no credentials, and with the error of
 * `pauseWhile`.
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
 *
 * @throws {@link RequestError} for invalid options.
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
      // A failed poll is emitted at once: the next poll is the retry.
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
    // Changes from before the subscription are no changes to this subscriber, and the update may predate a pause.
    map((update, index) =>
      index === 0 ? { ...update, changes: [], stale: update.stale || isOverdue(update) } : update,
    ),
  );
}

const nothing: BalanceUpdate = { balance: {}, changes: [], readAt: undefined, stale: false, staleAssets: [] };

function updateOf(last: BalanceUpdate, poll: Poll): BalanceUpdate {
  if ('error' in poll) return { ...last, changes: [], stale: true, error: poll.error };
  const balance = keepUnreadable(last, poll.balance);
  const changes = last.readAt === undefined ? [] : balanceChanges(last.balance, balance);
  return { balance, changes, readAt: poll.readAt, stale: false, staleAssets: unreadableIn(balance)?.keys ?? [] };
}

/** An asset that could not be read has not disappeared: it keeps its last balance. */
function keepUnreadable(last: BalanceUpdate, polled: Balance): Balance {
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

/** Failures of requests are values of the stream; a bug of the program, or missing credentials, end it. */
function failedPoll(error: unknown): Poll {
  if (!isExchangeError(error) || error instanceof RequestError) throw error;
  return { error };
}
