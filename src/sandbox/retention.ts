// Records of the past are kept for a limited time on request: a sandbox that is served for days would grow forever.

/** What happened, oldest first. */
export class Journal<Entry extends { readonly at: number }> {
  entries: Entry[] = [];

  push(entry: Entry): void {
    this.entries.push(entry);
  }

  remove(entry: Entry): void {
    const index = this.entries.lastIndexOf(entry);
    if (index >= 0) this.entries.splice(index, 1);
  }

  forget(before: number): void {
    this.entries = this.entries.filter(({ at }) => at >= before);
  }
}

/** Forgets old records once per retention time, because scanning all records costs more than adding one. */
export class Retention {
  #lastAt = 0;

  constructor(
    private readonly retentionMs: number,
    private readonly forget: (before: number) => void,
  ) {}

  /** Forgets what is due; `now` is Unix milliseconds, of a clock that may go back. */
  apply(now: number): void {
    if (Math.abs(now - this.#lastAt) < this.retentionMs) return;
    this.#lastAt = now;
    this.forget(now - this.retentionMs);
  }
}
