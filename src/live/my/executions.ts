// `live.my.executions`: each subscriber has every execution once, by pushes and, where some may be missing, the history.
import { catchError, delay, identity, map, Observable, of, switchMap, tap, throwError, type Subscriber } from 'rxjs';
import * as v from 'valibot';
import { optionsOf, parse, rule, unquoted } from '../../errors/index.js';
import type { Execution, ExecutionCursor, ExecutionPage, LiveExecutionItem } from '../../model/deal.js';
import { everyKey, type Interruption, type KeySubscriptions } from '../channel.js';
import { isLasting } from '../connection/index.js';
import { Recovery, type ReadKind, type Recoverable } from '../recovery/index.js';
import { refusedBy } from '../values.js';
import type { Account } from './account.js';
import { readHistory } from './execution-history.js';
import { ExecutionSequence } from './execution-sequence.js';

/** Parameters of {@link My.executions}. */
export interface ExecutionsParams {
  /**
   * From where on: a time of the exchange, Unix seconds, or the `cursor` of the last execution that the program has had.
   * At most 6 months ago. Default: the first confirmation of the subscription.
   */
  readonly since?: number | ExecutionCursor | undefined;
}

const name = 'live.my.executions';
/** A time further ahead was given in milliseconds, and would drop every execution. */
const maxAheadS = 86_400;
/** The exchange keeps deals for this long. */
const keptMonths = 6;
/** A read must not begin before the bound of the exchange, which moves while it is sent. */
const marginS = 60;
const auditMs = 60_000;
/** A push may come this much later than the history lists its execution. */
const pushLagMs = 2000;

const aTime = v.pipe(
  rule<number>((value) => typeof value === 'number' && value <= nowS() + maxAheadS, 'must be Unix seconds'),
  v.check(
    (value) => value >= historyBeginsAt(),
    ({ input }) => `${input} must be at most 6 months ago`,
  ),
);
const someKeys = unquoted<readonly string[]>(
  (value) => Array.isArray(value) && value.every((key) => typeof key === 'string'),
  'must be the executions of a cursor',
);
const aCursor = optionsOf<ExecutionCursor>({ from: aTime, emitted: someKeys }, ['from', 'emitted']);
const executionsParams = optionsOf<ExecutionsParams>({
  since: v.lazy((value) => (typeof value === 'number' ? aTime : aCursor)),
});

type Subscriptions = Pick<KeySubscriptions<Execution>, 'follow'>;

/** The executions of the history since a time. */
interface ExecutionsSince {
  readonly page: ExecutionPage;
  readonly from: number;
}

/** Makes the channel. It throws {@link RequestError} for invalid parameters. */
export function createExecutions(
  account: Account,
  subscriptions: Subscriptions,
): (params?: ExecutionsParams) => Observable<LiveExecutionItem> {
  let shared: SharedExecutions | undefined;
  return (params = {}) => {
    const { since } = parse(name, executionsParams, params);
    return new Observable((subscriber) => {
      shared ??= new SharedExecutions(account, subscriptions, () => {
        shared = undefined;
      });
      return shared.add(subscriber, since);
    });
  };
}

/** The executions while somebody subscribes: one subscription and one read of the history for all, whoever needs it. */
class SharedExecutions implements Recoverable<ExecutionsSince> {
  readonly #account: Account;
  readonly #onEnd: () => void;
  readonly #recovery: Recovery<ExecutionsSince>;
  readonly #subscribers = new Map<Subscriber<LiveExecutionItem>, ExecutionSequence>();
  /** When the subscription was first confirmed, Unix seconds. Before, nothing can be missing. */
  #beganAt: number | undefined;

  constructor(account: Account, subscriptions: Subscriptions, onEnd: () => void) {
    const { random, historyLagMs } = account;
    this.#account = account;
    this.#onEnd = onEnd;
    this.#recovery = new Recovery(this, { random, historyLagMs, auditAfterMs: () => auditMs, isReadOffline: true });
    this.#recovery.follow(subscriptions, everyKey, {
      onSubscribed: () => {
        this.#beganAt ??= nowS();
      },
      onItem: (execution) => {
        this.#emit((sequence) => sequence.push(execution));
      },
      onRefused: (refusal) => {
        this.#end(refusedBy(name)(undefined, refusal));
      },
    });
  }

  add(subscriber: Subscriber<LiveExecutionItem>, since: ExecutionsParams['since']): () => void {
    this.#subscribers.set(subscriber, new ExecutionSequence(since, nowS(), this.#account.historyLagMs / 1000));
    this.#recovery.readNow();
    return () => {
      if (this.#subscribers.delete(subscriber) && this.#subscribers.size === 0) this.#end();
    };
  }

  interrupt(reason: Interruption): void {
    if (this.#beganAt !== undefined) this.#emit((sequence) => sequence.interrupt(reason, nowS()));
  }

  read(kind: ReadKind): Observable<ExecutionsSince> {
    return this.#begin().pipe(
      switchMap(() => {
        const from = Math.min(...[...this.#subscribers.values()].map(({ readFrom }) => readFrom));
        const history$ = readHistory(this.#account.readExecutions, Math.max(from, historyBeginsAt() + marginS));
        return history$.pipe(map((page) => ({ page, from })));
      }),
      kind === 'late' || kind === 'audit' ? delay(pushLagMs) : identity,
    );
  }

  bridge({ page, from }: ExecutionsSince, kind: ReadKind): boolean {
    // One that came while it was read needs another one.
    const hasAll = ({ isStartKnown, readFrom }: ExecutionSequence) => isStartKnown && readFrom >= from;
    this.#emit((sequence) => (hasAll(sequence) ? sequence.bridge(page, kind, nowS()) : []));
    return true;
  }

  fail(error: unknown, isOver: boolean): void {
    if (isOver) this.#end(error);
    else this.#emit((sequence) => sequence.fail(nowS()));
  }

  /** The exchange's time for those that begin with the confirmation. By the clock of this machine, executions would be missing. */
  #begin(): Observable<unknown> {
    const waiting = [...this.#subscribers.values()].filter(({ isStartKnown }) => !isStartKnown);
    if (waiting.length === 0) return of(undefined);
    return this.#account.readTime().pipe(
      // An exchange that does not say its time: by the clock of this machine.
      catchError((error: unknown) => (isLasting(error) ? of(nowS()) : throwError(() => error))),
      tap((time) => {
        for (const sequence of waiting) sequence.beginAt(this.#beganAt ?? 0, time - nowS());
      }),
    );
  }

  #emit(itemsOf: (sequence: ExecutionSequence) => readonly LiveExecutionItem[]): void {
    for (const [subscriber, sequence] of [...this.#subscribers]) {
      for (const item of itemsOf(sequence)) {
        // The subscriber may leave within an item.
        if (subscriber.closed) break;
        if (item.kind === 'gap') this.#account.reportGap(item);
        subscriber.next(item);
      }
    }
  }

  /** First: a subscriber may come back inside of its error. */
  #end(error?: unknown): void {
    const subscribers = [...this.#subscribers.keys()];
    this.#subscribers.clear();
    this.#onEnd();
    this.#recovery.end();
    for (const subscriber of subscribers) subscriber.error(error);
  }
}

/** The oldest time of the history, Unix seconds. */
function historyBeginsAt(): number {
  const date = new Date();
  date.setUTCMonth(date.getUTCMonth() - keptMonths);
  return date.getTime() / 1000;
}

/** Unix seconds, as the exchange writes them. */
function nowS(): number {
  return Date.now() / 1000;
}
