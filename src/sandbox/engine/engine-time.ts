// The engine's time: the clock's time, except while the engine catches up with the clock, when each event is booked at
// the time at which it was due.

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
