// What is over is kept for a bounded time, when a sandbox is told to: one that is served for days would grow for ever.

/** What happened, oldest first. */
export class Journal<Entry extends { readonly at: number }> {
  #entries: Entry[] = [];

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Takes an entry out, if it is there. */
  remove(entry: Entry): void {
    const index = this.#entries.lastIndexOf(entry);
    if (index >= 0) this.#entries.splice(index, 1);
  }

  /** Forgets what happened before, Unix ms. */
  forget(before: number): void {
    this.#entries = this.#entries.filter(({ at }) => at >= before);
  }
}

/** Has what is over forgotten: once in the time that it is kept, since a look at all of it costs more than what is new. */
export class Retention {
  #lookedAt = 0;

  constructor(
    private readonly retentionMs: number,
    private readonly forget: (before: number) => void,
  ) {}

  /** `now` is Unix ms; a clock may go back. */
  look(now: number): void {
    if (Math.abs(now - this.#lookedAt) < this.retentionMs) return;
    this.#lookedAt = now;
    this.forget(now - this.retentionMs);
  }
}
