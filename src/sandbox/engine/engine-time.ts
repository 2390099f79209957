// The engine's time: the clock's, but while it catches up with the clock, what happened earlier is booked at the time
// at which it happened.

export class EngineTime {
  #at: number | undefined;

  constructor(private readonly clock: { now(): number }) {}

  /** Unix ms. */
  now(): number {
    return this.#at ?? this.clock.now();
  }

  /** Runs the task at a time that has passed, Unix ms. */
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
