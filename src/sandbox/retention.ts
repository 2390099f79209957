// Records of the past are kept for a limited time on request: a sandbox that is served for days would grow forever.

/** Entries whose number is limited, however recent they are. */
interface Bound<Entry> {
  /** Whether the entry is one of them; must not change while the entry is kept. */
  readonly includes: (entry: Entry) => boolean;
  /** The newest `count` entries are kept, and at most twice as many. */
  readonly count: number;
}

/** What happened, oldest first. */
export class Journal<Entry extends { readonly at: number }> {
  #entries: Entry[] = [];
  #boundedCount = 0;

  constructor(private readonly bound: Bound<Entry> = { includes: () => false, count: 0 }) {}

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
    if (this.bound.includes(entry)) this.#boundedCount += 1;
    if (this.#boundedCount > 2 * this.bound.count) this.#forgetBounded();
  }

  /** Removes an entry, if it is kept. */
  remove(entry: Entry): void {
    const index = this.#entries.lastIndexOf(entry);
    if (index < 0) return;
    this.#entries.splice(index, 1);
    if (this.bound.includes(entry)) this.#boundedCount -= 1;
  }

  /** Forgets the entries before this time, Unix milliseconds. */
  forget(before: number): void {
    this.#replace(this.#entries.filter(({ at }) => at >= before));
  }

  #forgetBounded(): void {
    let excess = this.#boundedCount - this.bound.count;
    this.#replace(
      this.#entries.filter((entry) => {
        if (excess === 0 || !this.bound.includes(entry)) return true;
        excess -= 1;
        return false;
      }),
    );
  }

  #replace(entries: Entry[]): void {
    this.#entries = entries;
    this.#boundedCount = entries.filter((entry) => this.bound.includes(entry)).length;
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
