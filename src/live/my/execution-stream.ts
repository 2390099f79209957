// The executions of the account for all of its subscribers: one subscription of a market, one recovery, and one read.
import { catchError, delay, EMPTY, identity, map, Observable, of, switchMap, throwError, type Subscriber } from 'rxjs';
import type { Execution, ExecutionPage, LiveExecutionItem } from '../../model/execution.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { everyKey, type Interruption, type KeySubscriptions } from '../channel.js';
import { isLasting } from '../connection/index.js';
import { Recovery, type ReadKind, type Recoverable } from '../recovery/index.js';
import type { RefusedError } from '../state-stream.js';
import { readHistory, type ReadExecutionPage } from './execution-history.js';
import { ExecutionSequence, type ExecutionWish } from './execution-sequence.js';

export interface ExecutionSource {
  readonly subscriptions: KeySubscriptions<Execution>;
  readonly refusedError: RefusedError;
  readonly readPage: ReadExecutionPage;
  /** The exchange's time, whole Unix seconds. */
  readonly readTime: () => Observable<number>;
  readonly reportGap: (gap: LiveGap) => void;
  /** How long an execution may be missing from the history, milliseconds. */
  readonly historyLagMs: number;
  readonly random: () => number;
}

/** A subscriber and what it has had. */
interface Member {
  readonly keys: readonly string[];
  readonly sequence: ExecutionSequence;
  readonly subscriber: Subscriber<LiveExecutionItem>;
  /** When all keys were first confirmed, by `performance.now()`. Before, nothing can be missing. */
  beganAt: number | undefined;
  isStartKnown: boolean;
}

/** A market that is subscribed, or all of them. */
interface Followed {
  isConfirmed: boolean;
  readonly leave: () => void;
}

/** The exchange keeps deals for this long. */
const keptMonths = 6;
/** A read must not begin before the bound of the exchange, which moves while it is sent. */
const marginS = 60;
const auditMs = 60_000;
/** A push may come this much later than the history lists its execution. */
const pushLagMs = 2000;

/** The oldest time of the history, Unix seconds. */
export function historyBeginsAt(nowMs: number): number {
  const date = new Date(nowMs);
  date.setUTCMonth(date.getUTCMonth() - keptMonths);
  return date.getTime() / 1000;
}

export class ExecutionStreams implements Recoverable<ExecutionPage> {
  readonly #source: ExecutionSource;
  #recovery: Recovery<ExecutionPage> | undefined;
  readonly #followed = new Map<string, Followed>();
  readonly #members = new Set<Member>();
  /** The members of the read in flight: it began after they did. */
  #served: readonly Member[] = [];
  readonly #reported = new Set<string>();

  constructor(source: ExecutionSource) {
    this.#source = source;
  }

  items$(wish: ExecutionWish): Observable<LiveExecutionItem> {
    return new Observable((subscriber) => {
      const { historyLagMs, random } = this.#source;
      const member: Member = {
        keys: wish.markets === undefined ? [everyKey] : [...new Set(wish.markets)],
        sequence: new ExecutionSequence(wish, nowS(), historyLagMs / 1000),
        ...{ subscriber, beganAt: undefined, isStartKnown: wish.since !== undefined },
      };
      this.#members.add(member);
      const options = { random, historyLagMs, auditAfterMs: () => auditMs, isReadOffline: true };
      const recovery = (this.#recovery ??= new Recovery(this, options));
      for (const key of member.keys) if (!this.#followed.has(key)) this.#follow(recovery, key);
      this.#begin(member);
      return () => {
        this.#leave(member);
      };
    });
  }

  interrupt(reason: Interruption, key = everyKey): void {
    const followed = this.#followed.get(key);
    if (followed !== undefined && reason !== 'unreadable') followed.isConfirmed = false;
    for (const member of this.#of(key))
      if (member.beganAt !== undefined) this.#emit(member, member.sequence.interrupt(reason, nowS()));
  }

  read(kind: ReadKind): Observable<ExecutionPage> {
    const served = [...this.#members].filter(({ beganAt }) => beganAt !== undefined);
    this.#served = served;
    if (served.length === 0) return EMPTY;
    const isUrgent = served.some(({ sequence }) => sequence.isWaiting);
    return this.#start(served).pipe(
      switchMap(() => {
        const from = Math.min(...this.#served.map(({ sequence }) => sequence.readFrom));
        return readHistory(this.#source.readPage, Math.max(from, historyBeginsAt(Date.now()) + marginS), isUrgent);
      }),
      kind === 'late' || kind === 'audit' ? delay(pushLagMs) : identity,
    );
  }

  bridge(page: ExecutionPage, kind: ReadKind): boolean {
    for (const member of this.#served) this.#emit(member, member.sequence.bridge(page, kind, nowS()));
    return true;
  }

  fail(error: unknown, isLasting: boolean): void {
    for (const member of [...this.#members]) {
      if (member.beganAt === undefined) continue;
      if (isLasting) member.subscriber.error(error);
      else this.#emit(member, member.sequence.fail(nowS()));
    }
  }

  /** Sets the beginning of new members. The clock of this machine may be wrong: by it, executions would be missing. */
  #start(members: readonly Member[]): Observable<unknown> {
    const unknown = members.filter(({ isStartKnown }) => !isStartKnown);
    if (unknown.length === 0) return of(undefined);
    return this.#source.readTime().pipe(
      // An exchange that does not say its time: by the clock of this machine.
      catchError((error: unknown) => (isLasting(error) ? of(undefined) : throwError(() => error))),
      map((time) => {
        for (const member of unknown) {
          member.isStartKnown = true;
          const ageS = (performance.now() - (member.beganAt ?? 0)) / 1000;
          if (time !== undefined) member.sequence.beginAt(time - ageS);
        }
      }),
      // The members whose beginning is known are read all the same; the others with the next read.
      catchError((error: unknown) => {
        if (unknown.length === members.length) return throwError(() => error);
        for (const member of unknown) this.#emit(member, member.sequence.fail(nowS()));
        this.#served = members.filter(({ isStartKnown }) => isStartKnown);
        return of(undefined);
      }),
    );
  }

  /** A member begins when all of its keys are confirmed. */
  #begin(member: Member): void {
    const isReady = member.keys.every((key) => this.#followed.get(key)?.isConfirmed === true);
    if (member.beganAt !== undefined || !isReady) return;
    member.beganAt = performance.now();
    this.#recovery?.readNow();
  }

  #follow(recovery: Recovery<ExecutionPage>, key: string): void {
    const followed: Followed = {
      isConfirmed: false,
      leave: recovery.follow(this.#source.subscriptions, key, {
        onSubscribed: () => {
          followed.isConfirmed = true;
          for (const member of this.#of(key)) this.#begin(member);
        },
        onItem: (execution) => {
          for (const member of this.#of(key)) this.#emit(member, member.sequence.push(execution));
        },
        onRefused: (refusal) => {
          this.#followed.delete(key);
          for (const { subscriber } of this.#of(key)) subscriber.error(this.#source.refusedError(key, refusal));
        },
      }),
    };
    this.#followed.set(key, followed);
  }

  #leave(member: Member): void {
    this.#members.delete(member);
    if (this.#members.size === 0) {
      this.#recovery?.end();
      this.#recovery = undefined;
      this.#followed.clear();
      return;
    }
    for (const key of member.keys) {
      if (this.#of(key).length > 0) continue;
      this.#followed.get(key)?.leave();
      this.#followed.delete(key);
    }
  }

  #of(key: string): readonly Member[] {
    return [...this.#members].filter(({ keys }) => keys.includes(key));
  }

  /** The subscriber may leave within an item, of its own or of another one. */
  #emit({ subscriber }: Member, items: readonly LiveExecutionItem[]): void {
    for (const item of items) {
      if (subscriber.closed) return;
      if (item.kind === 'gap') this.#report(item);
      subscriber.next(item);
    }
  }

  /** Subscribers that miss the same executions report one gap. */
  #report(gap: LiveGap): void {
    const { reason, filled, market } = gap;
    const name = JSON.stringify([reason, filled, market]);
    if (this.#reported.has(name)) return;
    if (this.#reported.size === 0)
      queueMicrotask(() => {
        this.#reported.clear();
      });
    this.#reported.add(name);
    this.#source.reportGap(gap);
  }
}

/** Unix seconds, as the exchange writes them. */
function nowS(): number {
  return Date.now() / 1000;
}
