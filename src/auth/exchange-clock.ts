// The exchange's clock, as far as its answers told: nonces are made by it, and it says when a request can no longer be executed.

/** What an answer showed of the exchange's clock. All are Unix milliseconds; the last two by the local clock. */
export interface ClockReading {
  /** What it showed, cut to {@link resolutionMs}. */
  readonly shown: number;
  readonly resolutionMs: number;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** How far the local clock may be from the exchange's: a machine that slept, or was restored from an image. Beyond, the answer is wrong. */
const longestOffsetMs = 366 * 24 * 60 * 60 * 1000;
/** A local clock before this time, 2020, was never set: it says nothing of an answer. */
const earliestMs = Date.UTC(2020, 0, 1);

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

  /** A reading that differs absurdly is not believed: nonces made by it would be refused, or shut out others of the same key. */
  learn({ shown, resolutionMs, sentAt, receivedAt }: ClockReading): void {
    const isAbsurd = Math.abs(shown - receivedAt) > longestOffsetMs && receivedAt > earliestMs;
    if (isAbsurd || !Number.isFinite(shown)) return;
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
