// The executions of the account for all of its subscribers: one subscription to all markets, one recovery, and one read.
import { catchError, delay, EMPTY, identity, map, Observable, of, switchMap, throwError, type Subscriber } from 'rxjs';
import type { Execution, ExecutionPage, LiveExecutionItem } from '../../model/deal.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { everyKey, type Interruption, type KeySubscriptions } from '../channel.js';
import { isLasting } from '../connection/index.js';
import { Recovery, type ReadKind, type Recoverable } from '../recovery/index.js';
import { refusedBy } from '../values.js';
import type { Account } from './account.js';
import { readHistory } from './execution-history.js';
import { ExecutionSequence, type ExecutionWish } from './execution-sequence.js';

/** A subscriber and what it has had. */
interface Member {
  readonly sequence: ExecutionSequence;
  readonly subscriber: Subscriber<LiveExecutionItem>;
  /** When the subscription was first confirmed, by `performance.now()`. Before, nothing can be missing. */
  beganAt: number | undefined;
  isStartKnown: boolean;
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

export class ExecutionStream implements Recoverable<ExecutionPage> {
  readonly #account: Account;
  readonly #subscriptions: KeySubscriptions<Execution>;
  #recovery: Recovery<ExecutionPage> | undefined;
  readonly #members = new Set<Member>();
  /** The members of the read in flight: it began after they did. */
  #served: readonly Member[] = [];
  readonly #reported = new Set<string>();

  constructor(account: Account, subscriptions: KeySubscriptions<Execution>) {
    this.#account = account;
    this.#subscriptions = subscriptions;
  }

  items$(wish: ExecutionWish): Observable<LiveExecutionItem> {
    return new Observable((subscriber) => {
      const member: Member = {
        sequence: new ExecutionSequence(wish, nowS(), this.#account.historyLagMs / 1000),
        ...{ subscriber, beganAt: undefined, isStartKnown: wish.since !== undefined },
      };
      this.#members.add(member);
      if (this.#recovery === undefined) this.#follow();
      else if (this.#recovery.isConfirmed) {
        this.#begin(member);
        this.#recovery.readNow();
      }
      return () => {
        if (!this.#members.delete(member) || this.#members.size > 0) return;
        this.#recovery?.end();
        this.#recovery = undefined;
      };
    });
  }

  interrupt(reason: Interruption, key?: string): void {
    const market = key === everyKey ? undefined : key;
    for (const member of this.#started()) this.#emit(member, member.sequence.interrupt(reason, nowS(), market));
  }

  read(kind: ReadKind): Observable<ExecutionPage> {
    const served = this.#started();
    this.#served = served;
    if (served.length === 0) return EMPTY;
    return this.#start(served).pipe(
      switchMap(() => {
        const from = Math.min(...this.#served.map(({ sequence }) => sequence.readFrom));
        const { readExecutions } = this.#account.reads;
        return readHistory(readExecutions, Math.max(from, historyBeginsAt(Date.now()) + marginS));
      }),
      kind === 'late' || kind === 'audit' ? delay(pushLagMs) : identity,
    );
  }

  bridge(page: ExecutionPage, kind: ReadKind): boolean {
    for (const member of this.#served) this.#emit(member, member.sequence.bridge(page, kind, nowS()));
    return true;
  }

  fail(error: unknown, isLasting: boolean): void {
    for (const member of this.#started()) {
      if (isLasting) member.subscriber.error(error);
      else this.#emit(member, member.sequence.fail(nowS()));
    }
  }

  #follow(): void {
    const { random, historyLagMs } = this.#account;
    const options = { random, historyLagMs, auditAfterMs: () => auditMs, isReadOffline: true };
    this.#recovery = new Recovery(this, options);
    this.#recovery.follow(this.#subscriptions, everyKey, {
      onSubscribed: () => {
        for (const member of this.#members) this.#begin(member);
      },
      onItem: (execution) => {
        for (const member of [...this.#members]) this.#emit(member, member.sequence.push(execution));
      },
      onRefused: (refusal) => {
        const error = refusedBy('live.my.executions')(undefined, refusal);
        const members = [...this.#members];
        // First: a subscriber may subscribe again inside of its error, and is followed again.
        this.#members.clear();
        this.#recovery?.end();
        this.#recovery = undefined;
        for (const { subscriber } of members) subscriber.error(error);
      },
    });
  }

  #begin(member: Member): void {
    member.beganAt ??= performance.now();
  }

  #started(): readonly Member[] {
    return [...this.#members].filter(({ beganAt }) => beganAt !== undefined);
  }

  /** Sets the beginning of new members. The clock of this machine may be wrong: by it, executions would be missing. */
  #start(members: readonly Member[]): Observable<unknown> {
    const unknown = members.filter(({ isStartKnown }) => !isStartKnown);
    if (unknown.length === 0) return of(undefined);
    return this.#account.readTime().pipe(
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
    this.#account.reportGap(gap);
  }
}

/** Unix seconds, as the exchange writes them. */
function nowS(): number {
  return Date.now() / 1000;
}
