// What is over is kept for a bounded time, when a sandbox is told to: one that is served for days would grow for ever.

/** Entries of which only the newest are kept, however young the others are. */
interface Bounded<Entry> {
  /** Whether it is one of them, for as long as it is kept. */
  readonly includes: (entry: Entry) => boolean;
  /** So many are kept at least, and twice as many at most. */
  readonly count: number;
}

/** What happened, oldest first. */
export class Journal<Entry extends { readonly at: number }> {
  #entries: Entry[] = [];
  /** How many entries are among the bounded ones. */
  #boundedCount = 0;

  constructor(private readonly bounded: Bounded<Entry> = { includes: () => false, count: 0 }) {}

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
    if (this.bounded.includes(entry)) this.#boundedCount += 1;
    if (this.#boundedCount > 2 * this.bounded.count) this.#forgetBounded();
  }

  /** Takes an entry out, if it is there. */
  remove(entry: Entry): void {
    const index = this.#entries.lastIndexOf(entry);
    if (index < 0) return;
    this.#entries.splice(index, 1);
    if (this.bounded.includes(entry)) this.#boundedCount -= 1;
  }

  /** Forgets what happened before, Unix ms. */
  forget(before: number): void {
    this.#replace(this.#entries.filter(({ at }) => at >= before));
  }

  #forgetBounded(): void {
    let tooMany = this.#boundedCount - this.bounded.count;
    this.#replace(
      this.#entries.filter((entry) => {
        if (tooMany === 0 || !this.bounded.includes(entry)) return true;
        tooMany -= 1;
        return false;
      }),
    );
  }

  #replace(entries: Entry[]): void {
    this.#entries = entries;
    this.#boundedCount = entries.filter((entry) => this.bounded.includes(entry)).length;
  }
}

/**
 * Has what is over forgotten: once in the time that it is kept, since a look at all of it costs more than what is new.
 */
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
