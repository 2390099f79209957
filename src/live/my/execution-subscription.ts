// One subscriber of executions: feeds its sequence from the connection and from the history.
import { defer, retry, throwError, timer, type Observable, type Subscriber, type Subscription } from 'rxjs';
import { backoff } from '../../call/index.js';
import type { Execution, ExecutionPage, LiveExecutionItem } from '../../model/execution.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { isLasting } from '../connection/index.js';
import type { Interruption } from '../channel.js';
import type { HistoryReader, HistoryUser } from './execution-history.js';
import { ExecutionSequence, type ExecutionWish } from './execution-sequence.js';

export interface ExecutionSurroundings {
  /** The markets that are subscribed for it, or the key of all. */
  readonly keys: readonly string[];
  /** The exchange's time, whole Unix seconds. */
  readonly readTime: () => Observable<number>;
  readonly historyLagMs: number;
  readonly random: () => number;
  readonly reader: HistoryReader;
  readonly subscriber: Subscriber<LiveExecutionItem>;
  readonly reportGap: (gap: LiveGap) => void;
}

/** A push may come this much later than the history lists its execution. */
const pushLagMs = 2000;
const baseDelayMs = 500;
const maxDelayMs = 30_000;

export class ExecutionSubscription implements HistoryUser {
  readonly #surroundings: ExecutionSurroundings;
  readonly #sequence: ExecutionSequence;
  readonly #confirmed = new Set<string>();
  /** When all keys were first confirmed, by `performance.now()`. */
  #beganAt: number | undefined;
  #isStartKnown: boolean;
  /** Whether the next read of the history settles an interruption, or the beginning. */
  #isSettled = false;
  /** Waits for the exchange's time, then for the second read. */
  #waiting: Subscription | undefined;
  /** Waits for pushes that may still come. */
  #repairing: Subscription | undefined;

  constructor(wish: ExecutionWish, surroundings: ExecutionSurroundings) {
    this.#surroundings = surroundings;
    this.#sequence = new ExecutionSequence(wish, nowS(), surroundings.historyLagMs / 1000);
    this.#isStartKnown = wish.since !== undefined;
  }

  get readFrom(): number {
    return this.#sequence.readFrom;
  }

  get isWaiting(): boolean {
    return this.#sequence.isWaiting;
  }

  /** The exchange has confirmed a key. */
  confirm(key: string): void {
    this.#confirmed.add(key);
    if (this.#isConfirmed) this.#settle();
  }

  push(execution: Execution): void {
    this.#emit(this.#sequence.push(execution));
  }

  interrupt(key: string, reason: Interruption): void {
    const isUnreadable = reason === 'unreadable';
    if (!isUnreadable) {
      this.#confirmed.delete(key);
      this.#stopWaiting();
    }
    // Before the first confirmation, nothing can be missing.
    if (this.#beganAt === undefined) return;
    const wasSettled = this.#isSettled;
    this.#isSettled = false;
    this.#emit(this.#sequence.interrupt(reason, nowS()));
    if (isUnreadable && wasSettled) this.#settle();
  }

  /** Compares what was emitted with the history, also while there is no connection. */
  audit(): void {
    const isStarted = this.#beganAt !== undefined && this.#isStartKnown;
    if (isStarted && (this.#isSettled || !this.#isConfirmed)) this.#surroundings.reader.request(this);
  }

  onHistory(history: ExecutionPage): void {
    const { historyLagMs, reader } = this.#surroundings;
    if (this.#hasLeft()) return;
    // Read before the confirmation, in part or as a whole.
    if (!this.#isSettled && (!this.#isConfirmed || reader.isAwaitedBy(this))) {
      this.#emit(this.#sequence.catchUp(history, nowS()));
      return;
    }
    if (this.#isSettled) {
      this.#emit(this.#sequence.audit(history, nowS()));
      if (this.#hasLeft()) return;
      this.#repairing?.unsubscribe();
      this.#repairing = timer(pushLagMs).subscribe(() => {
        this.#emit(this.#sequence.repair(nowS()));
      });
      return;
    }
    this.#isSettled = true;
    this.#emit(this.#sequence.settle(history, nowS()));
    if (this.#hasLeft()) return;
    this.#waiting = timer(historyLagMs).subscribe(() => {
      reader.request(this);
    });
  }

  onFailure(): void {
    // An audit that fails says nothing about the executions.
    if (!this.#isSettled) this.#emit(this.#sequence.fail(nowS()));
  }

  onLastingFailure(error: unknown): void {
    this.fail(error);
  }

  /** Ends the stream with an error. */
  fail(error: unknown): void {
    this.#surroundings.subscriber.error(error);
  }

  /** Nobody waits any more. */
  end(): void {
    this.#stopWaiting();
    this.#surroundings.reader.cancel(this);
  }

  /** The subscriber may leave within a callback, of its own or of another one. */
  #hasLeft(): boolean {
    return this.#surroundings.subscriber.closed;
  }

  get #isConfirmed(): boolean {
    return this.#confirmed.size === this.#surroundings.keys.length;
  }

  #settle(): void {
    if (this.#hasLeft()) return;
    this.#stopWaiting();
    this.#beganAt ??= performance.now();
    if (this.#isStartKnown) this.#surroundings.reader.request(this);
    else this.#findStart(this.#beganAt);
  }

  /** The clock of this machine may be wrong: by it, executions would be missing. */
  #findStart(beganAt: number): void {
    const { readTime, reader, random } = this.#surroundings;
    const time$ = defer(readTime).pipe(
      retry({
        delay: (error: unknown, count) => {
          if (isLasting(error)) return throwError(() => error);
          this.onFailure();
          return timer(random() * backoff(count + 1, baseDelayMs, maxDelayMs));
        },
      }),
    );
    this.#waiting = time$.subscribe({
      next: (time) => {
        this.#isStartKnown = true;
        this.#sequence.beginAt(time - (performance.now() - beganAt) / 1000);
        reader.request(this);
      },
      // An exchange that does not say its time: by the clock of this machine.
      error: () => {
        this.#isStartKnown = true;
        reader.request(this);
      },
    });
    if (this.#hasLeft()) this.#stopWaiting();
  }

  #stopWaiting(): void {
    this.#waiting?.unsubscribe();
    this.#repairing?.unsubscribe();
  }

  #emit(items: readonly LiveExecutionItem[]): void {
    const { subscriber, reportGap } = this.#surroundings;
    for (const item of items) {
      if (subscriber.closed) return;
      if (item.kind === 'gap') reportGap(item);
      subscriber.next(item);
    }
  }
}

/** Unix seconds, as the exchange writes them. */
function nowS(): number {
  return Date.now() / 1000;
}
