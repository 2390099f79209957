// A map in bounded memory, for what a client remembers of its orders.

/**
 * The newest entries: at least `min` of them, and at most twice as many. The older half is dropped as a whole: a map that
 * deletes its oldest entry at each insertion steps over all that it deleted before, some 60 µs at 100,000 entries.
 *
 * In a map for each market, because one key of market and identifier would be another string for each order.
 */
export class NewestEntries<Value> {
  readonly #min: number;
  #newest = new Map<string, Map<string, Value>>();
  #older: ReadonlyMap<string, ReadonlyMap<string, Value>> = new Map();
  /** How many the newest are. */
  #count = 0;

  constructor(min: number) {
    this.#min = min;
  }

  set(market: string, key: string, value: Value): void {
    if (this.#count >= this.#min) {
      this.#older = this.#newest;
      this.#newest = new Map();
      this.#count = 0;
    }
    const ofMarket = this.#newest.get(market) ?? new Map<string, Value>();
    this.#newest.set(market, ofMarket);
    const before = ofMarket.size;
    ofMarket.set(key, value);
    this.#count += ofMarket.size - before;
  }

  get(market: string, key: string): Value | undefined {
    return this.#newest.get(market)?.get(key) ?? this.#older.get(market)?.get(key);
  }
}
