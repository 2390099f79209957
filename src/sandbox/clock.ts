// The sandbox's time: the machine's, or a manual clock that a test advances.

/** The sandbox's clock. */
export interface SandboxClock {
  /** The current time, Unix milliseconds. */
  now(): number;
  /**
   * Advances a manual clock by this number of milliseconds. Everything that becomes due happens, each event at its own
   * time: delayed requests arrive, prices move, orders are filled, kill switches fire. The ledger is up to date when
   * the call returns. Throws on a real clock.
   */
  advance(ms: number): void;
  /**
   * Shifts the clock by this number of milliseconds, back if negative, so that the client's clock is wrong. Delays that
   * are running are not affected.
   */
  skew(ms: number): void;
}

export interface Clock extends SandboxClock {
  after(ms: number, task: () => void): void;
  /** Runs the task again and again at this interval, until the returned function is called. Does not hold the process. */
  every(ms: number, task: () => void): () => void;
  /** Brings the sandbox up to the clock's time; called whenever the clock was moved. */
  settle: () => void;
}

export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

export function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

const manualStart = Date.UTC(2026, 0, 1);

export function createClock(kind: 'real' | 'manual'): Clock {
  return kind === 'real' ? new RealClock() : new ManualClock();
}

class RealClock implements Clock {
  #skewMs = 0;
  settle = (): void => undefined;

  now(): number {
    return Date.now() + this.#skewMs;
  }

  advance(): void {
    throw new Error(
      "clock.advance: a real clock cannot be advanced; create the sandbox with createSandbox({ clock: 'manual' })",
    );
  }

  skew(ms: number): void {
    this.#skewMs += checkedSkew(ms);
    this.settle();
  }

  after(ms: number, task: () => void): void {
    setTimeout(task, ms);
  }

  every(ms: number, task: () => void): () => void {
    const timer = setInterval(task, ms).unref();
    return () => {
      clearInterval(timer);
    };
  }
}

/** The time of a recording: inside a run, the process's timers and `Date` follow it; outside, it stands still. */
export class RecordedClock extends RealClock {
  #stoppedAt: number | undefined;

  /** @param from Unix milliseconds */
  constructor(from: number) {
    super();
    this.#stoppedAt = from;
  }

  get isRunning(): boolean {
    return this.#stoppedAt === undefined;
  }

  start(): void {
    this.#stoppedAt = undefined;
  }

  stop(): void {
    this.#stoppedAt = super.now();
  }

  override now(): number {
    return this.#stoppedAt ?? super.now();
  }

  override advance(): void {
    throw new Error('clock.advance: the time of a replay is that of the recording: use sandbox.run');
  }

  override skew(): void {
    throw new Error('clock.skew: the time of a replay is that of the recording');
  }
}

class ManualClock implements Clock {
  #time = manualStart;
  /** The sum of all advances, without skews. */
  #passedMs = 0;
  settle = (): void => undefined;
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
    this.settle();
  }

  after(ms: number, task: () => void): void {
    this.#waiting.push({ at: this.#passedMs + ms, task });
  }

  every(ms: number, task: () => void): () => void {
    let isRunning = true;
    const run = () => {
      if (!isRunning) return;
      task();
      this.after(ms, run);
    };
    this.after(ms, run);
    return () => {
      isRunning = false;
    };
  }

  /** The first task that is due by `end`; of several at one time, the one that was registered first. */
  #next(end: number) {
    const [first] = this.#waiting.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
    return first;
  }

  #moveTo(passedMs: number): void {
    this.#time += passedMs - this.#passedMs;
    this.#passedMs = passedMs;
    this.settle();
  }
}

function checkedSkew(ms: number): number {
  if (!Number.isFinite(ms)) throw new Error(`clock.skew: ${ms} ms must be a finite number`);
  return ms;
}

/** The clock's time, except while the engine catches up: then each event is booked at the time at which it was due. */
export class EngineTime {
  #at: number | undefined;

  constructor(private readonly clock: { now(): number }) {}

  /** Unix milliseconds. */
  now(): number {
    return this.#at ?? this.clock.now();
  }

  /** Runs the task at a time in the past, Unix milliseconds. */
  during(at: number, task: () => void): void {
    const before = this.#at;
    this.#at = at;
    try {
      task();
    } finally {
      this.#at = before;
    }
  }
}
