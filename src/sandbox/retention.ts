// What is over is kept for a bounded time, when a sandbox is told to: one that is served for days would grow for ever.

/**
 * What happened, oldest first. What is older than the retention is forgotten all at once, when the oldest is twice as old: each entry is kept at least
 * that long, and what forgetting costs does not grow with what is kept.
 */
export class Journal<Entry extends { readonly at: number }> {
  readonly #entries: Entry[] = [];

  constructor(private readonly retentionMs: number) {}

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
    const oldest = this.#entries[0] ?? entry;
    if (entry.at - oldest.at <= 2 * this.retentionMs) return;
    this.#entries.splice(0, this.#entries.findIndex(({ at }) => at >= entry.at - this.retentionMs));
  }
}
