// Watches one wallet: what polls read, or what the live connection pushes. Shared by its subscribers.
import {
  catchError,
  concat,
  defer,
  distinctUntilChanged,
  EMPTY,
  map,
  NEVER,
  of,
  pipe,
  ReplaySubject,
  scan,
  share,
  startWith,
  switchMap,
  throwError,
  timer,
  type Observable,
  type OperatorFunction,
} from 'rxjs';
import { backoff, jitterOf, requestedDelayMs, type CallEvent, type CallOptions } from '../call/index.js';
import { isExchangeError, maxTimerMs, RequestError, type AnyExchangeError } from '../errors/index.js';
import { valuesEvery, type AccountStatus } from '../live/index.js';
import { poll } from '../operators/index.js';
import { nextWallet, type BalanceChange, type Wallet, type WalletUpdate } from './wallets.js';

/** When a wallet is polled, see {@link WatchBalanceOptions}. */
export interface Polling {
  readonly everyMs: number;
  readonly refreshOn: Observable<unknown>;
}

/** A balance and when it was read: when the request was sent, or when it was received. Unix ms. */
interface Read<Balances> {
  readonly value: Balances;
  readonly readAt: number;
  /** Whether the live connection pushed it. */
  readonly isLive: boolean;
}

type Poll<Balances> = Read<Balances> | { readonly error: AnyExchangeError };

/** What was read; `undefined`: the live connection has no true balance. */
type Reading<Balances> = Poll<Balances> | undefined;

/** How much later than `everyMs` the next poll may end, milliseconds. */
const allowanceMs = 1000;
/** The maximum additional pause after a failed poll, milliseconds. */
const maxBackoffMs = 60_000;

/**
 * Emits the balance after every poll, and every live one. Subscribers share them, a late subscriber gets the last update
 * at once, and the last one to unsubscribe stops the polls.
 *
 * @param live$ balances of the live connection, see {@link liveBalances}
 */
export function watchWallet<Entry, Change extends BalanceChange>(
  wallet: Wallet<Entry, Change>,
  read: (call: CallOptions) => Observable<Record<string, Entry>>,
  polling: Polling,
  live$: Observable<Reading<Record<string, Entry>>> = NEVER,
): Observable<WalletUpdate<Record<string, Entry>, Change>> {
  type Update = WalletUpdate<Record<string, Entry>, Change>;
  interface Watched {
    readonly update: Update;
    readonly isPolled: boolean;
  }
  const { everyMs } = polling;
  const after = ({ update }: Watched, reading: Reading<Record<string, Entry>>): Watched => {
    const outdated: Update = { ...update, changes: [], stale: true };
    if (reading === undefined) return { update: outdated, isPolled: true };
    if ('error' in reading) return { update: { ...outdated, error: reading.error }, isPolled: true };
    const { value, readAt, isLive } = reading;
    const next = nextWallet(wallet, value, update.readAt === undefined ? undefined : update);
    return { update: { ...next, readAt, stale: false }, isPolled: !isLive };
  };
  const nothing: Update = { balance: {}, changes: [], staleAssets: [], readAt: undefined, stale: false };
  const isLate = ({ readAt }: Update) => readAt !== undefined && Date.now() - readAt > everyMs + allowanceMs;
  return liveOrPolls(polls(read, polling), live$, everyMs).pipe(
    scan(after, { update: nothing, isPolled: true }),
    share({ connector: () => new ReplaySubject(1) }),
    map(({ update, isPolled }, index) => {
      if (index > 0) return update;
      // Changes from before the subscription are no changes to this subscriber. Its next poll may hang.
      return { ...update, changes: [], stale: update.stale || (isPolled && isLate(update)) };
    }),
  );
}

/** Live balances, and polls while there is none; after an interruption, not before `everyMs`. A live one ends the polls. */
function liveOrPolls<Balances>(
  poll$: Observable<Reading<Balances>>,
  live$: Observable<Reading<Balances>>,
  everyMs: number,
): Observable<Reading<Balances>> {
  return live$.pipe(
    startWith(undefined),
    distinctUntilChanged((one, other) => one === undefined && other === undefined),
    switchMap((reading, index) => {
      if (reading !== undefined) return of(reading);
      return index === 0 ? poll$ : concat(of(undefined), timer(everyMs).pipe(switchMap(() => poll$)));
    }),
  );
}

/**
 * Reads again and again, one poll at a time, with growing pauses after failures: a failure is a value, and the next poll
 * is its retry. The observable fails with {@link RequestError}, and with an error of the program.
 */
function polls<Balances>(
  read: (call: CallOptions) => Observable<Balances>,
  { everyMs, refreshOn }: Polling,
): Observable<Poll<Balances>> {
  return defer(() => {
    let failures = 0;
    const pauseMs = (last: Poll<Balances> | undefined) => {
      const error = last !== undefined && 'error' in last ? last.error : undefined;
      failures = error === undefined ? 0 : failures + 1;
      if (error === undefined) return everyMs;
      const backoffMs = jitterOf() * backoff(failures, everyMs, maxBackoffMs);
      return Math.min(maxTimerMs, everyMs + Math.max(backoffMs, requestedDelayMs(error)));
    };
    const round$ = defer(() => {
      let readAt = Date.now();
      const onEvent = ({ type }: CallEvent) => {
        if (type === 'request') readAt = Date.now();
      };
      return read({ retry: false, onEvent }).pipe(map((value): Poll<Balances> => ({ value, readAt, isLive: false })));
    });
    return round$.pipe(
      catchError((error: unknown) => {
        // A bug of the program, or missing credentials.
        if (!isExchangeError(error) || error instanceof RequestError) throw error;
        return of({ error });
      }),
      poll({ everyMs: pauseMs, refreshOn: refreshOn.pipe(catchError(() => EMPTY)) }),
    );
  });
}

/**
 * What the live connection has of a wallet; `undefined` while it may be outdated. An account whose connection the
 * exchange refuses has none: the polls report what they make of it.
 *
 * @param valueOf `undefined`: the update says less than a poll
 */
export function liveBalances<Update extends AccountStatus, Balances>(
  everyMs: number,
  valueOf: (update: Update) => Balances | undefined,
): OperatorFunction<Update, Reading<Balances>> {
  return pipe(
    valuesEvery(everyMs),
    map((update) => {
      const value = update.status === 'live' ? valueOf(update) : undefined;
      return value === undefined ? undefined : { value, readAt: update.receivedAt, isLive: true };
    }),
    catchError((error: unknown) => (isExchangeError(error) ? of(undefined) : throwError(() => error))),
  );
}
