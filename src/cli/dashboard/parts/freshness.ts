// Whether the figures of a part are true now. An outage makes everything stale that came before it; requests that still
// work replace a live value that is not true any more.
import {
  catchError,
  combineLatest,
  concat,
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  finalize,
  map,
  merge,
  NEVER,
  of,
  ReplaySubject,
  retry,
  scan,
  share,
  startWith,
  switchMap,
  throwError,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
  type OperatorFunction,
} from 'rxjs';
import { isExchangeError, RequestError } from '../../../errors/index.js';
import { poll } from '../../../operators/index.js';
import type { Freshness } from '../messages.js';
import { pageText } from '../page-text.js';

export interface Reading<Value> {
  readonly value: Value;
  readonly status: 'live' | 'read' | 'stale';
  readonly at: number;
  readonly reason?: string;
}

export interface Shown<Value> {
  readonly value: Value | undefined;
  readonly state: Freshness;
}

/** What all parts know of an outage of the exchange. */
export interface Outage {
  /** Since when requests get no response, Unix ms; `undefined` while they do. */
  readonly down$: Observable<number | undefined>;
  /** Emits when a reader wants the next attempt of everything at once. */
  readonly tryNow$: Observable<unknown>;
}

export function noState(): Freshness {
  return { status: 'none', at: null, since: Date.now(), paceMs: null };
}

/** The values with their states. What the exchange refuses is a state, and not an error: the other parts go on. */
export function shown<Value>({ down$ }: Outage, paceMs: number | null): OperatorFunction<Reading<Value>, Shown<Value>> {
  return (source) =>
    defer(() => {
      const waiting: Shown<Value> = {
        value: undefined,
        state: { status: 'waiting', at: null, since: Date.now(), paceMs },
      };
      const input$ = source.pipe(
        map((reading): Input<Value> => ({ reading })),
        catchError((error: unknown) => concat(of<Input<Value>>({ refusal: reasonOf(error) }), NEVER)),
        startWith<Input<Value>>({}),
      );
      return combineLatest([input$, down$]).pipe(
        scan((last, [input, downSince]) => next(last, input, downSince), waiting),
        distinctUntilChanged(),
      );
    });
}

interface Input<Value> {
  readonly reading?: Reading<Value>;
  readonly refusal?: string;
}

function next<Value>(last: Shown<Value>, input: Input<Value>, downSince: number | undefined): Shown<Value> {
  const { reading, refusal } = input;
  const { paceMs } = last.state;
  const since = (status: Freshness['status'], began = Date.now()) =>
    status === last.state.status ? last.state.since : began;
  if (refusal !== undefined) {
    const state = { status: 'refused', at: last.state.at, since: since('refused'), paceMs, reason: refusal } as const;
    return { value: last.value, state };
  }
  if (reading === undefined) return last;
  const { value, at } = reading;
  const isBeforeOutage = downSince !== undefined && at <= downSince;
  const status = isBeforeOutage ? 'stale' : reading.status;
  const reason = isBeforeOutage ? 'requests get no response' : (reading.reason ?? 'newer values may be missing');
  const began = since(status, isBeforeOutage ? downSince : Date.now());
  return { value, state: { status, at, since: began, paceMs, ...(status === 'stale' ? { reason } : {}) } };
}

/** Why the exchange gives no value. A bug of the program is thrown. */
export function reasonOf(error: unknown): string {
  if (!isExchangeError(error)) throw error;
  return pageText(error.message);
}

export function live<Update extends { readonly status: 'live' | 'stale'; readonly receivedAt: number }, Value>(
  valueOf: (update: Update) => Value,
): OperatorFunction<Update, Reading<Value>> {
  return map((update) => ({ value: valueOf(update), status: update.status, at: update.receivedAt }));
}

/** One reading after the other; a failed one leaves the last value, which is stale. */
export function polled<Value>(
  outage: Outage,
  read: () => Observable<Value>,
  everyMs: number,
): Observable<Reading<Value>> {
  return polls(outage, read, everyMs).pipe(keepLast());
}

/** Live values; while there is none that is true, what requests read every `everyMs`. */
export function liveOrRead<Value>(
  outage: Outage,
  live$: Observable<Reading<Value>>,
  read: () => Observable<Value>,
  everyMs: number,
): Observable<Reading<Value>> {
  return live$.pipe(
    // Requests read what the live connection refuses.
    insteadOfFailure(concat(of(undefined), NEVER)),
    startWith(undefined),
    distinctUntilChanged((one, other) => one?.status !== 'live' && other?.status !== 'live'),
    switchMap((reading) => {
      if (reading?.status === 'live') return of(reading);
      return concat(reading === undefined ? EMPTY : of(reading), polls(outage, read, everyMs));
    }),
    keepLast(),
  );
}

const failed = Symbol('failed');

function polls<Value>(
  { tryNow$ }: Outage,
  read: () => Observable<Value>,
  everyMs: number,
): Observable<Reading<Value> | typeof failed> {
  return defer(() => {
    // A change that happens while the request is in flight may be missing.
    const at = Date.now();
    return read().pipe(map((value): Reading<Value> => ({ value, status: 'read', at })));
  }).pipe(insteadOfFailure(of<typeof failed>(failed)), poll({ everyMs, refreshOn: tryNow$ }));
}

function keepLast<Value>(): OperatorFunction<Reading<Value> | typeof failed, Reading<Value>> {
  return (source) =>
    source.pipe(
      scan<Reading<Value> | typeof failed, Reading<Value> | undefined>((last, now) => {
        if (now !== failed) return now;
        return last && { ...last, status: 'stale', reason: 'requests fail' };
      }, undefined),
      filter((reading) => reading !== undefined),
    );
}

/** A failure of the exchange or on the way to it; a request that is wrong is a bug, or lacks credentials. */
function isFailure(error: unknown): boolean {
  return isExchangeError(error) && !(error instanceof RequestError);
}

/** The values until the exchange refuses them, where another source of the part says so. */
export function untilRefused<Value>(): MonoTypeOperatorFunction<Value> {
  return insteadOfFailure<Value, never>(EMPTY);
}

function insteadOfFailure<Value, Other>(next$: Observable<Other>): OperatorFunction<Value, Value | Other> {
  return catchError((error: unknown) => (isFailure(error) ? next$ : throwError(() => error)));
}

export function untilRead<Value>({ tryNow$ }: Outage, afterMs: number): MonoTypeOperatorFunction<Value> {
  return retry({
    delay: (error: unknown) => (isFailure(error) ? merge(timer(afterMs), tryNow$) : throwError(() => error)),
  });
}

/** The worst of several states, the oldest `at` of them. */
export function worstOf(states: readonly Freshness[]): Freshness {
  const rank = ['none', 'live', 'read', 'waiting', 'stale', 'refused'];
  const [worst = noState()] = states.toSorted((one, other) => rank.indexOf(other.status) - rank.indexOf(one.status));
  const ats = states.flatMap(({ at }) => at ?? []);
  return { ...worst, at: ats.length === 0 ? null : Math.min(...ats) };
}

/** One subscription for all subscribers, who begin with the newest value; the last one to leave ends it. */
export function shared<Value>(): MonoTypeOperatorFunction<Value> {
  return share({ connector: () => new ReplaySubject(1) });
}

export function sharedBy<Key extends string[], Value>(make: (...key: Key) => Observable<Value>) {
  const open = new Map<string, Observable<Value>>();
  return (...key: Key): Observable<Value> =>
    defer(() => {
      const name = key.join(' ');
      const shared$ =
        open.get(name) ??
        make(...key).pipe(
          finalize(() => open.delete(name)),
          shared(),
        );
      open.set(name, shared$);
      return shared$;
    });
}
