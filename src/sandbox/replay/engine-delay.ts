// The minimum delay of messages: an order that takes effect now entered the engine at the latest this long ago.

/** The time over which the minimum is taken, milliseconds. */
const spanMs = 60_000;
const partMs = 1000;

export class EngineDelay {
  /** The minimum of each second, by its number; oldest first. */
  readonly #minima = new Map<number, number>();

  /** A message was received now, of something that the engine did at `engineAt`. */
  add(now: number, engineAt: number): void {
    const part = Math.floor(now / partMs);
    this.#minima.set(part, Math.min(this.#minima.get(part) ?? Infinity, now - engineAt));
    for (const old of this.#minima.keys()) {
      if (old > part - spanMs / partMs) break;
      this.#minima.delete(old);
    }
  }

  /** The latest engine time of something that takes effect now. */
  engineTime(now: number): number {
    const shortest = Math.min(...this.#minima.values());
    return shortest === Infinity ? now : now - shortest;
  }
}
