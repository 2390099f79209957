// The newest entries of a long history. They are kept in generations, of which the oldest is dropped as a whole: a map
// that deletes its oldest entry at each insertion steps over all that it deleted before, some 60 µs at 100,000 entries,
// and a map of a million stops the program for a tenth of a second when it grows.

const maxGenerations = 4;

/** The newest entries: at least `min` of them, and at most a third more. */
export class NewestEntries<Key, Value> {
  readonly #perGeneration: number;
  /** The newest first. */
  readonly #generations: Map<Key, Value>[] = [new Map<Key, Value>()];

  constructor(min: number) {
    this.#perGeneration = Math.ceil(min / (maxGenerations - 1));
  }

  set(key: Key, value: Value): void {
    let [newest] = this.#generations;
    if (newest === undefined || newest.size >= this.#perGeneration) {
      newest = new Map();
      this.#generations.unshift(newest);
      this.#generations.length = Math.min(this.#generations.length, maxGenerations);
    }
    newest.set(key, value);
  }

  get(key: Key): Value | undefined {
    for (const generation of this.#generations) {
      const value = generation.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}
