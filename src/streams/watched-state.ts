// A watched state: what polls read, or what the live connection pushes. Shared by its subscribers.
import {
  catchError,
  combineLatest,
  concat,
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  map,
  NEVER,
  of,
  ReplaySubject,
  scan,
  share,
  startWith,
  switchMap,
  timer,
  type Observable,
} from 'rxjs';
import { retryDelayMs, type CallEvent, type CallOptions } from '../call/index.js';
import {
  aFunction,
  anObservable,
  type AnyExchangeError,
  durationAbove0,
  isExchangeError,
  maxTimerMs,
  type OptionRules,
  RequestError,
} from '../errors/index.js';
import { poll } from '../operators/index.js';

/** Options of every stream that polls values. */
export interface WatchOptions {
  /**
   * Each value polls at once, such as after an order; during a poll, directly after it. When this observable fails or
   * completes, the polls go on every `everyMs`. To keep it alive, handle its errors first, such as by `retry`.
   *
   * @default none
   */
  readonly refreshOn?: Observable<unknown>;
  /**
   * `true` pauses at once, and leaves the live connection. `false` resumes with a poll at once. An error of this
   * observable ends the stream.
   *
   * @default never paused
   */
  readonly pauseWhile?: Observable<boolean>;
  /**
   * The pause between two polls, milliseconds, above 0. After a failed poll, a random pause is added: at most `everyMs`,
   * twice as much with each further failure, and at most 60 s.
   *
   * @default 5000
   */
  readonly everyMs?: number;
  /**
   * Returns a random number from 0 to 1, for the jitter of the backoff. The client's `retry: { random }` is not used
   * here: for a reproducible run, pass the same function.
   *
   * @default Math.random
   */
  readonly random?: () => number;
}

/** The rules of the options that every stream has. */
export const watchRules: OptionRules<WatchOptions> = {
  everyMs: durationAbove0,
  refreshOn: anObservable(),
  pauseWhile: anObservable(),
  random: aFunction(),
};

/** What every update of a watched state has. */
export interface StateUpdate {
  /**
   * When the request of the last successful poll was sent, Unix ms by this machine's clock; of several requests, the
   * first. Of a live value: when it was received. Later changes may be missing. `undefined` before the first value.
   */
  readonly readAt: number | undefined;
  /**
   * Whether the state may be outdated, because the last poll failed, or because the live connection was interrupted and
   * no poll has succeeded since. Also `true` in the first update of a subscriber that comes during a pause, or when the
   * next poll is late: a pause and a poll that hangs emit no update.
   */
  readonly stale: boolean;
  /** The error of the last poll; absent when it succeeded. */
  readonly error?: AnyExchangeError;
}

/** A value and when it was read: when the first request was sent, or when it was received. Unix ms. */
export interface Read<Value> {
  readonly value: Value;
  readonly readAt: number;
  /** Whether the live connection pushed it. */
  readonly isLive?: true;
}

/** How a state is read, and how it changes with what was read. */
export interface StateSource<Value, State> {
  /** One poll. A response that is no true state fails. */
  readonly read: (call: CallOptions) => Observable<Value>;
  /** Values of the live connection; `undefined` while it has none that is true. Default: it polls only. */
  readonly live$?: Observable<Read<Value> | undefined> | undefined;
  /** The state before the first value. */
  readonly nothing: State;
  /** The state after a value; `last` is `undefined` after the first one. */
  readonly next: (value: Value, last: State | undefined) => State;
}

/** The options of a stream, with its own pause. */
export type PollsOptions = WatchOptions & { readonly everyMs: number };

/** The result of a poll. */
type Poll<Value> = Read<Value> | { readonly error: AnyExchangeError };

/** `interrupted`: the live connection has no true value any more. `paused`: the same, and no update is emitted. */
type Reading<Value> = Poll<Value> | 'interrupted' | 'paused';

/** How much later than `everyMs` the next poll may end, milliseconds. */
const allowanceMs = 1000;
/** The maximum additional pause after a failed poll, milliseconds. */
const maxBackoffMs = 60_000;

/**
 * Emits the state after every poll, and every live value. Subscribers share them, a late subscriber gets the last update
 * at once, and the last one to unsubscribe stops the polls.
 */
export function watchedState<Value, State extends { readonly changes: readonly unknown[] }>(
  { read, live$ = NEVER, nothing, next }: StateSource<Value, State>,
  options: PollsOptions,
): Observable<State & StateUpdate> {
  const { pauseWhile = NEVER } = options;
  type Update = State & StateUpdate;
  const after = (update: Update, reading: Reading<Value>): Update => {
    const outdated = { ...update, changes: [], stale: true };
    if (typeof reading === 'string') return outdated;
    if ('error' in reading) return { ...outdated, error: reading.error };
    const state = next(reading.value, update.readAt === undefined ? undefined : update);
    return { ...state, readAt: reading.readAt, stale: false };
  };
  const nothingYet: Update = { ...nothing, readAt: undefined, stale: false };
  // Of several values that pauseWhile emits at once, combineLatest passes the last one on.
  const isPaused$ = combineLatest([pauseWhile.pipe(startWith(false)), of(true)]).pipe(
    map(([isPaused]) => isPaused),
    distinctUntilChanged(),
  );
  const reading$ = liveOrPolls(polls(read, options), live$, options.everyMs);
  const isOverdue = ({ readAt }: Update) => readAt !== undefined && Date.now() - readAt > options.everyMs + allowanceMs;
  return isPaused$.pipe(
    switchMap((isPaused) => (isPaused ? concat(of<Reading<Value>>('paused'), NEVER) : reading$)),
    scan(
      (last, reading) => ({
        update: after(last.update, reading),
        isNews: reading !== 'paused',
        isPolled: typeof reading === 'string' || 'error' in reading || reading.isLive !== true,
      }),
      { update: nothingYet, isNews: false, isPolled: true },
    ),
    share({ connector: () => new ReplaySubject(1) }),
    // To a late subscriber, the last update is news, whatever came after it.
    filter(({ update, isNews }, index) => isNews || (index === 0 && update.readAt !== undefined)),
    map(({ update, isPolled }, index) => {
      if (index > 0) return update;
      // Changes from before the subscription are no changes to this subscriber. Its next poll may hang.
      return { ...update, changes: [], stale: update.stale || (isPolled && isOverdue(update)) };
    }),
  );
}

/** Live values, and polls while there is none; after an interruption, not before `everyMs`. A live value ends the polls. */
function liveOrPolls<Value>(
  poll$: Observable<Reading<Value>>,
  live$: Observable<Read<Value> | undefined>,
  everyMs: number,
): Observable<Reading<Value>> {
  return live$.pipe(
    startWith(undefined),
    distinctUntilChanged((one, other) => one === undefined && other === undefined),
    switchMap((value, index): Observable<Reading<Value>> => {
      if (value !== undefined) return of({ ...value, isLive: true });
      return index === 0
        ? poll$
        : concat(of<Reading<Value>>('interrupted'), timer(everyMs).pipe(switchMap(() => poll$)));
    }),
  );
}

/**
 * Reads again and again, one poll at a time, with growing pauses after failures: a failure is a value, and the next poll
 * is its retry. The observable fails with {@link RequestError}, and with an error of the program.
 */
export function polls<Value>(
  read: (call: CallOptions) => Observable<Value>,
  { everyMs, random = Math.random, refreshOn = NEVER }: PollsOptions,
): Observable<Poll<Value>> {
  return defer(() => {
    let failures = 0;
    const pauseMs = (last: Poll<Value> | undefined) => {
      const error = last !== undefined && 'error' in last ? last.error : undefined;
      failures = error === undefined ? 0 : failures + 1;
      if (error === undefined) return everyMs;
      const backoffMs = retryDelayMs({ baseDelayMs: everyMs, maxDelayMs: maxBackoffMs, random }, failures, error);
      return Math.min(maxTimerMs, everyMs + backoffMs);
    };
    const round$ = defer(() => {
      let readAt = Date.now();
      let isSent = false;
      const onEvent = ({ type }: CallEvent) => {
        if (type === 'request' && !isSent) [readAt, isSent] = [Date.now(), true];
      };
      return read({ retry: false, onEvent }).pipe(map((value): Poll<Value> => ({ value, readAt })));
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
