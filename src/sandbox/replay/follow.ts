// Paper trading: lines of a live connection reach the markets of a sandbox as they come.
import { Subscription, type Observable } from 'rxjs';
import type { RecordedLine } from '../../recording/index.js';
import type { Clock } from '../clock.js';
import type { RecordedExchange } from './recorded-exchange.js';

const beatMs = 250;
/** After a longer sleep, the books are those of before it, and own orders would meet them first. */
const maxSleepMs = 1000;
/** A market that is closed for longer is subscribed again: its book may be whole, without a snapshot that says so. */
const maxClosedMs = 60_000;

export class Follow {
  #stopBeats = (): void => undefined;
  #lines = Subscription.EMPTY;
  #startedAt: number;
  #beatAt: number;

  constructor(
    private readonly exchange: RecordedExchange,
    private readonly lines$: Observable<RecordedLine>,
    private readonly clock: Clock,
  ) {
    this.#startedAt = this.#beatAt = clock.now();
  }

  start(): void {
    this.#stopBeats = this.clock.every(beatMs, () => {
      this.check();
    });
    this.#lines = this.#subscribe();
  }

  get isRunning(): boolean {
    return !this.#lines.closed;
  }

  /** Closes the markets when the process has slept, and subscribes again. Called before anything meets the books. */
  check(): void {
    const now = this.clock.now();
    // A clock that was set looks the same, and its times do not compare with those before.
    const hasSlept = Math.abs(now - this.#beatAt) > maxSleepMs;
    this.#beatAt = now;
    const closedSince = Math.min(...this.exchange.states().map(({ closedSince }) => closedSince));
    const isStuck = now - Math.max(closedSince, this.#startedAt) > maxClosedMs;
    if (!this.isRunning || !(hasSlept || isStuck)) return;
    if (hasSlept) this.exchange.interrupt('asleep');
    // Who hears that a market is closed may have closed the sandbox.
    if (this.#lines.closed) return;
    this.#lines.unsubscribe();
    this.#startedAt = now;
    this.#lines = this.#subscribe();
  }

  close(): void {
    if (this.isRunning) this.#end('stopped');
  }

  #subscribe(): Subscription {
    return this.lines$.subscribe({
      next: (line) => {
        this.exchange.receive({ ...line, t: this.clock.now() });
      },
      error: (error: unknown) => {
        // Without a subscriber of a status, a warning is the only reason that a user sees for the rejected orders.
        if (!this.#end('failed', error)) process.emitWarning(error instanceof Error ? error : String(error));
      },
    });
  }

  #end(reason: string, error?: unknown): boolean {
    this.#stopBeats();
    this.#lines.unsubscribe();
    return this.exchange.end(reason, error);
  }
}
