// Records of the past are kept for a limited time on request: a sandbox that is served for days would grow forever.

export interface Entry {
  /** Unix milliseconds. */
  readonly at: number;
  readonly account?: string | undefined;
}

/** What happened, oldest first. */
export class Journal<Item extends Entry> {
  entries: Item[] = [];
  /** The number of all entries, including the forgotten ones. */
  count = 0;

  /** `endOf`: when an entry became one of the past, Unix milliseconds; `undefined` while it is needed. */
  constructor(private readonly endOf: (entry: Item) => number | undefined = ({ at }) => at) {}

  push(entry: Item): void {
    this.entries.push(entry);
    this.count += 1;
  }

  remove(entry: Item): void {
    const index = this.entries.lastIndexOf(entry);
    if (index >= 0) this.entries.splice(index, 1);
  }

  /** The entries of an account, newest first. */
  of(account: string): Item[] {
    return this.entries.filter((entry) => entry.account === account).reverse();
  }

  forget(before: number): void {
    this.entries = this.entries.filter((entry) => (this.endOf(entry) ?? before) >= before);
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
