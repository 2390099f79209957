// The executions of the account for all of its subscribers: one subscription of a market, and one read of the history.
import { interval, Observable, type Subscriber, type Subscription } from 'rxjs';
import type { Execution, LiveExecutionItem } from '../../model/execution.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { everyKey, type Interruption, type KeySubscriptions } from '../channel.js';
import type { RefusedError } from '../state-stream.js';
import { HistoryReader, readHistory, type ReadExecutionPage } from './execution-history.js';
import type { ExecutionWish } from './execution-sequence.js';
import { ExecutionSubscription } from './execution-subscription.js';

export interface ExecutionSource {
  readonly subscriptions: KeySubscriptions<Execution>;
  readonly refusedError: RefusedError;
  readonly readPage: ReadExecutionPage;
  /** The exchange's time, whole Unix seconds. */
  readonly readTime: () => Observable<number>;
  readonly reportGap: (gap: LiveGap) => void;
  /** How long an execution may be missing from the history, milliseconds. */
  readonly historyLagMs: number;
  /** The pause between two comparisons with the history, milliseconds. */
  readonly auditEveryMs: number;
  readonly random: () => number;
}

/** A market that is subscribed, or all of them. */
interface Followed {
  readonly subscriptions: Set<ExecutionSubscription>;
  readonly end: () => void;
  isConfirmed: boolean;
}

/** The exchange keeps deals for this long. */
const keptMonths = 6;
/** A read must not begin before the bound of the exchange, which moves while it is sent. */
const marginS = 60;

/** The oldest time of the history, Unix seconds. */
export function historyBeginsAt(nowMs: number): number {
  const date = new Date(nowMs);
  date.setUTCMonth(date.getUTCMonth() - keptMonths);
  return date.getTime() / 1000;
}

export class ExecutionStreams {
  readonly #source: ExecutionSource;
  readonly #reader: HistoryReader;
  readonly #followed = new Map<string, Followed>();
  readonly #all = new Set<ExecutionSubscription>();
  #audits: Subscription | undefined;
  readonly #reported = new Set<string>();

  constructor(source: ExecutionSource) {
    const { readPage, random } = source;
    this.#source = source;
    this.#reader = new HistoryReader(
      (from, isUrgent) => readHistory(readPage, Math.max(from, historyBeginsAt(Date.now()) + marginS), isUrgent),
      random,
    );
  }

  items$(wish: ExecutionWish): Observable<LiveExecutionItem> {
    return new Observable((subscriber) => this.#subscribe(wish, subscriber));
  }

  #subscribe(wish: ExecutionWish, subscriber: Subscriber<LiveExecutionItem>): () => void {
    const keys = wish.markets === undefined ? [everyKey] : [...new Set(wish.markets)];
    const { readTime, historyLagMs, random } = this.#source;
    const subscription = new ExecutionSubscription(wish, {
      ...{ keys, readTime, historyLagMs, random, reader: this.#reader, subscriber },
      reportGap: (gap) => {
        this.#report(gap);
      },
    });
    this.#all.add(subscription);
    this.#audits ??= interval(this.#source.auditEveryMs).subscribe(() => {
      for (const one of this.#all) one.audit();
    });
    for (const key of keys) this.#follow(key, subscription);
    return () => {
      subscription.end();
      for (const key of keys) this.#leave(key, subscription);
      this.#all.delete(subscription);
      if (this.#all.size > 0) return;
      this.#audits?.unsubscribe();
      this.#audits = undefined;
    };
  }

  #follow(key: string, subscription: ExecutionSubscription): void {
    const known = this.#followed.get(key);
    if (known !== undefined) {
      known.subscriptions.add(subscription);
      if (known.isConfirmed) subscription.confirm(key);
      return;
    }
    const subscriptions = new Set([subscription]);
    const each = (use: (one: ExecutionSubscription) => void) => {
      for (const one of [...subscriptions]) use(one);
    };
    const followed: Followed = {
      ...{ subscriptions, isConfirmed: false },
      end: this.#source.subscriptions.follow(key, {
        onSubscribed: () => {
          followed.isConfirmed = true;
          each((one) => {
            one.confirm(key);
          });
        },
        onItem: (execution) => {
          each((one) => {
            one.push(execution);
          });
        },
        onInterrupted: (reason: Interruption) => {
          if (reason !== 'unreadable') followed.isConfirmed = false;
          each((one) => {
            one.interrupt(key, reason);
          });
        },
        onRefused: (refusal) => {
          this.#followed.delete(key);
          each((one) => {
            one.fail(this.#source.refusedError(key, refusal));
          });
        },
      }),
    };
    this.#followed.set(key, followed);
  }

  #leave(key: string, subscription: ExecutionSubscription): void {
    const followed = this.#followed.get(key);
    if (followed?.subscriptions.delete(subscription) !== true || followed.subscriptions.size > 0) return;
    this.#followed.delete(key);
    followed.end();
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
