// Keeps what is known of a channel true: when it is read over REST, again after a failure, and compared with REST.
import { defer, delay, identity, Subscription, take, type ObservableInput, type Subscriber } from 'rxjs';
import { backoff } from '../../call/index.js';
import type { Follower, Interruption, KeySubscriptions } from '../channel.js';
import { isLasting } from '../connection/index.js';

/**
 * What a read is for:
 * - `first`: the first one since the subscription was confirmed, or since an interruption.
 * - `late`: `historyLagMs` after the first one: it has what the exchange lists late.
 * - `audit`: nothing seems to be missing.
 * - `extra`: without a connection, or from before the last interruption. More may be missing than it has.
 */
export type ReadKind = 'first' | 'late' | 'audit' | 'extra';

export interface Recoverable<Page> {
  /** Items may be missing from now on, until the page of a `first` read. Not called before the first confirmation. */
  interrupt(reason: Interruption): void;
  /** Reads what may be missing. Completes without a page where the connection brings it. */
  read(kind: ReadKind): ObservableInput<Page>;
  /** Joins a page with what is known. Returns whether the page was whole: else another one is read soon. */
  bridge(page: Page, kind: ReadKind): boolean;
  /** A read has failed, and is repeated. */
  fail(): void;
}

/** When a recovery reads. `Number.POSITIVE_INFINITY`: never. */
export interface RecoveryOptions {
  readonly random: () => number;
  /**
   * The pause between the confirmation and the first read, and between a read without a page and the next one,
   * milliseconds. Default 0.
   */
  readonly firstAfterMs?: number;
  /** How long the history may list items late, milliseconds. Left out: there is no `late` read. */
  readonly historyLagMs?: number;
  /**
   * How much later a push may come than a read lists its item, milliseconds. A `late` page or one of an `audit` is joined
   * after this time: what it has, and was not pushed by then, was lost. Default 0.
   */
  readonly pushLagMs?: number;
  /** The pause before an audit, milliseconds. */
  readonly auditAfterMs: () => number;
  /** The pause between an unreadable push and the first read, milliseconds; there is at most a read in 2.5 to 5 s. Default 250. */
  readonly brokenMs?: number;
  /** Whether it reads without a connection, too. Default false. */
  readonly isReadOffline?: boolean;
}

const baseDelayMs = 500;
const maxDelayMs = 30_000;
/** A channel whose pushes stay unreadable must not be read all the time, nor in step with them: half of it is random. */
const maxBrokenMs = 5000;

export class Recovery<Page> {
  /** When all keys had been confirmed once, by `performance.now()`: nothing is missing from before. */
  beganAt = Number.POSITIVE_INFINITY;
  readonly #subscriber: Pick<Subscriber<unknown>, 'add' | 'closed' | 'error'>;
  readonly #data: Recoverable<Page>;
  readonly #options: RecoveryOptions;
  readonly #unconfirmed = new Set<object>();
  /** What the next read that is due is for. */
  #next: ReadKind = 'first';
  #dueAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #reading: Subscription | undefined;
  /** When the last read after an unreadable push was due. */
  #brokenAt = Number.NEGATIVE_INFINITY;
  /** Interruptions and settlements: a read that began before the last one is extra. */
  #changes = 0;
  /** Reads in a row that failed, or were not whole. */
  #failures = 0;

  /** @param subscriber ends it, and ends with a refusal, or with a failure after which no read will ever succeed */
  constructor(
    subscriber: Pick<Subscriber<unknown>, 'add' | 'closed' | 'error'>,
    data: Recoverable<Page>,
    options: RecoveryOptions,
  ) {
    this.#subscriber = subscriber;
    this.#data = data;
    this.#options = options;
    subscriber.add(() => {
      this.#stop();
    });
  }

  /** Follows a key. All keys are followed before the first one is confirmed. */
  follow<Item>(subscriptions: Pick<KeySubscriptions<Item>, 'follow'>, key: string, onItem: (item: Item) => void): void {
    const follower: Follower<Item> = {
      subscriber: this.#subscriber,
      onItem,
      onSubscribed: () => {
        this.#confirm(follower);
      },
      onInterrupted: (reason) => {
        if (!isOfPush(reason)) this.#unconfirmed.add(follower);
        this.interrupt(reason);
      },
    };
    this.#unconfirmed.add(follower);
    this.#subscriber.add(subscriptions.follow(key, follower));
  }

  /** Items may be missing. The pushes after an unreadable one, or one that does not continue the last, are not affected. */
  interrupt(reason: Interruption): void {
    if (this.#subscriber.closed) return;
    const { isReadOffline = false } = this.#options;
    this.#changes += 1;
    if (!isOfPush(reason) && !isReadOffline) this.#stop();
    // Unreadable pushes without end do not put the read off.
    else if (this.#isConfirmed && (this.#next !== 'first' || this.#dueAt === Number.POSITIVE_INFINITY))
      this.#dueAt = performance.now() + this.#brokenMs();
    this.#next = 'first';
    if (this.beganAt < Number.POSITIVE_INFINITY) this.#data.interrupt(reason);
    this.#wake();
  }

  /** What was pushed is whole: nothing is missing any more. */
  settle(): void {
    this.#changes += 1;
    this.#failures = 0;
    this.#stop();
    this.#next = 'audit';
    this.#dueAt = performance.now() + this.#options.auditAfterMs();
    this.#wake();
  }

  get #isConfirmed(): boolean {
    return this.#unconfirmed.size === 0;
  }

  #brokenMs(): number {
    const now = performance.now();
    const pauseMs = ((1 + this.#options.random()) * maxBrokenMs) / 2;
    this.#brokenAt = Math.max(now + (this.#options.brokenMs ?? 250), this.#brokenAt + pauseMs);
    return this.#brokenAt - now;
  }

  #confirm(follower: object): void {
    if (!this.#unconfirmed.delete(follower) || !this.#isConfirmed || this.#subscriber.closed) return;
    this.beganAt = Math.min(this.beganAt, performance.now());
    // What was pushed before the confirmation is whole: there is nothing to read first.
    if (this.#next !== 'first') return;
    this.#changes += 1;
    this.#dueAt = performance.now() + (this.#options.firstAfterMs ?? 0);
    // One response may confirm several keys: one read is for all of them.
    queueMicrotask(() => {
      this.#wake();
    });
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#reading?.unsubscribe();
    this.#reading = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  /** Starts the read that is due, or waits for it; one at a time. */
  #wake(): void {
    clearTimeout(this.#timer);
    if (this.#subscriber.closed || this.#reading !== undefined || this.#dueAt === Number.POSITIVE_INFINITY) return;
    const waitMs = this.#dueAt - performance.now();
    if (waitMs <= 0) this.#start();
    else
      this.#timer = setTimeout(() => {
        this.#wake();
      }, Math.ceil(waitMs));
  }

  #start(): void {
    const { firstAfterMs = 0, pushLagMs = 0 } = this.#options;
    const kind = this.#isConfirmed ? this.#next : 'extra';
    const lagMs = kind === 'late' || kind === 'audit' ? pushLagMs : 0;
    const changes = this.#changes;
    this.#dueAt = Number.POSITIVE_INFINITY;
    const reading = new Subscription();
    this.#reading = reading;
    reading.add(
      defer(() => this.#data.read(kind))
        .pipe(take(1), lagMs === 0 ? identity : delay(lagMs))
        .subscribe({
          next: (page) => {
            this.#finish(page, changes === this.#changes ? kind : 'extra');
          },
          error: (error: unknown) => {
            this.#fail(error);
          },
          complete: () => {
            if (this.#reading !== reading) return;
            this.#reading = undefined;
            if (changes === this.#changes) {
              this.#next = 'audit';
              this.#dueAt = performance.now() + firstAfterMs;
            }
            this.#wake();
          },
        }),
    );
  }

  #finish(page: Page, kind: ReadKind): void {
    const { historyLagMs, auditAfterMs } = this.#options;
    const hasLate = kind === 'first' && historyLagMs !== undefined;
    this.#reading = undefined;
    // Before the page is joined: an interruption inside of it counts.
    if (kind !== 'extra') {
      this.#next = hasLate ? 'late' : 'audit';
      this.#dueAt = performance.now() + (hasLate ? historyLagMs : auditAfterMs());
    } else if (this.#dueAt === Number.POSITIVE_INFINITY) this.#dueAt = performance.now() + auditAfterMs();
    if (this.#data.bridge(page, kind)) this.#failures = 0;
    else this.#retry();
    this.#wake();
  }

  #fail(error: unknown): void {
    this.#reading = undefined;
    if (isLasting(error)) {
      this.#subscriber.error(error);
      return;
    }
    this.#retry();
    this.#data.fail();
    this.#wake();
  }

  #retry(): void {
    this.#failures += 1;
    const delayMs = this.#options.random() * backoff(this.#failures + 1, baseDelayMs, maxDelayMs);
    this.#dueAt = Math.min(this.#dueAt, performance.now() + delayMs);
  }
}

function isOfPush(reason: Interruption): boolean {
  return reason === 'unreadable' || reason === 'sequence';
}
