// The sandbox's time: the machine's, or one that stands still until a test moves it.

/** The sandbox's clock. */
export interface SandboxClock {
  /** Its time now, Unix milliseconds. */
  now(): number;
  /**
   * Moves a manual clock on, milliseconds, and settles everything that is due by then: delayed requests arrive, prices
   * move, orders are filled, kill switches fire. The ledger agrees with the clock when it returns. Throws on a real
   * one.
   */
  advance(ms: number): void;
  /**
   * Sets the clock forward, or back below 0, against what it has shown so far, milliseconds: a client's clock is wrong
   * then.
   */
  skew(ms: number): void;
}

/** The clock as the sandbox's own parts use it. */
export interface Clock extends SandboxClock {
  /** Runs the task when so many milliseconds have passed by this clock. */
  after(ms: number, task: () => void): void;
  /** What brings the sandbox up to the clock's time, whenever that was moved. */
  settleWith(settle: () => void): void;
}

/** Where a manual clock starts: 2026-01-01T00:00:00Z. */
const manualStart = Date.UTC(2026, 0, 1);

/** Makes a clock of either kind. */
export function createClock(kind: 'real' | 'manual'): Clock {
  return kind === 'real' ? new RealClock() : new ManualClock();
}

class RealClock implements Clock {
  #skewMs = 0;
  #settle = (): void => undefined;

  now(): number {
    return Date.now() + this.#skewMs;
  }

  advance(): void {
    throw new Error(
      "clock.advance: the sandbox's clock is real; make it with createSandbox({ clock: 'manual' }) to advance it",
    );
  }

  skew(ms: number): void {
    this.#skewMs += checkedSkew(ms);
    this.#settle();
  }

  after(ms: number, task: () => void): void {
    setTimeout(task, ms);
  }

  settleWith(settle: () => void): void {
    this.#settle = settle;
  }
}

class ManualClock implements Clock {
  #time = manualStart;
  /** What was advanced so far, which a skew is no part of. */
  #passedMs = 0;
  #settle = (): void => undefined;
  readonly #waiting: { readonly at: number; readonly task: () => void }[] = [];

  now(): number {
    return this.#time;
  }

  advance(ms: number): void {
    if (!(ms >= 0 && ms < Infinity)) throw new Error(`clock.advance: ${ms} ms must be 0 or more`);
    const end = this.#passedMs + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#moveTo(next.at);
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      next.task();
    }
    this.#moveTo(end);
  }

  skew(ms: number): void {
    this.#time += checkedSkew(ms);
    this.#settle();
  }

  after(ms: number, task: () => void): void {
    this.#waiting.push({ at: this.#passedMs + ms, task });
  }

  settleWith(settle: () => void): void {
    this.#settle = settle;
  }

  /** The task that is due first, by then; of several, the one that was given first. */
  #next(end: number) {
    const [first, ...others] = this.#waiting.filter(({ at }) => at <= end);
    return first === undefined
      ? undefined
      : others.reduce((earliest, other) => (other.at < earliest.at ? other : earliest), first);
  }

  #moveTo(passedMs: number): void {
    this.#time += passedMs - this.#passedMs;
    this.#passedMs = passedMs;
    this.#settle();
  }
}

function checkedSkew(ms: number): number {
  if (!Number.isFinite(ms)) throw new Error(`clock.skew: ${ms} ms must be a finite number`);
  return ms;
}
