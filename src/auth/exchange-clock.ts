// The exchange's clock, as far as its answers told: nonces are made by it, and it says when a request can no longer be executed.

/** What an answer showed of the exchange's clock. All are Unix milliseconds; the last two by the local clock. */
export interface ClockReading {
  /** What it showed, cut to {@link resolutionMs}. */
  readonly shown: number;
  readonly resolutionMs: number;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/**
 * Knows by how much the exchange's clock differs from the local one: each answer gives bounds, and together they narrow. An answer that
 * contradicts what is known (a clock was set) replaces it.
 */
export class ExchangeClock {
  /** Unix ms. */
  readonly local: () => number;
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;

  constructor(local: () => number) {
    this.local = local;
  }

  /** Unix ms, as well as is known: the local clock, where no answer contradicts it. */
  now(): number {
    return this.toExchange(this.local());
  }

  /** A time of the local clock as the exchange's clock shows it. */
  toExchange(local: number): number {
    const agrees = this.#least <= 0 && this.#most >= 0;
    return local + (agrees ? 0 : (this.#least + this.#most) / 2);
  }

  /** What the exchange's clock shows at least, Unix ms; `undefined` while no answer told. */
  atLeast(): number | undefined {
    return this.#least === Number.NEGATIVE_INFINITY ? undefined : this.local() + this.#least;
  }

  learn({ shown, resolutionMs, sentAt, receivedAt }: ClockReading): void {
    const least = shown - receivedAt;
    const most = shown + resolutionMs - sentAt;
    const fits = least <= this.#most && most >= this.#least;
    this.#least = fits ? Math.max(least, this.#least) : least;
    this.#most = fits ? Math.min(most, this.#most) : most;
  }
}

/** A clock of Unix ms that goes on evenly when the machine's is set. */
export function steadyClock(): () => number {
  const offset = Date.now() - performance.now();
  return () => offset + performance.now();
}
