// The exchange's clock: nonces are made by it, and it says when a request can no longer be executed. It is learned from the exchange's own time
// (`public/time`) and from refusals of a nonce for its age; never from the header `Date`, which is the clock of whatever stands before the exchange.

/** What an answer showed of the exchange's clock. All are Unix milliseconds; the last two by the local clock. */
export interface ClockReading {
  /** What it showed, cut to {@link resolutionMs}. */
  readonly shown: number;
  readonly resolutionMs: number;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** A nonce that the exchange refused for its age. Unix milliseconds; the times by the local clock. */
export interface NonceRefusal {
  readonly nonce: number;
  /** Whether it lay behind the exchange's clock, and not ahead of it. */
  readonly isTooOld: boolean;
  /** How far a nonce may be from the exchange's clock. */
  readonly windowMs: number;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** How far the local clock may be from the exchange's. Beyond, either the answer is wrong, or a clock that was never set. */
const longestOffsetMs = 366 * 24 * 60 * 60 * 1000;
/** How far two such answers may be apart to say the same. */
const sameOffsetMs = 60_000;

/**
 * Knows by how much the exchange's clock differs from the local one: each answer gives bounds, and together they narrow. An answer that
 * contradicts what is known (a clock was set) replaces it.
 */
export class ExchangeClock {
  /** Unix ms. */
  readonly local: () => number;
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;
  /** What the last answer said, when it was absurd. */
  #absurd = Number.NaN;

  constructor(local: () => number) {
    this.local = local;
  }

  /** Unix ms, as well as is known: the local clock, where no response contradicts it. */
  now(): number {
    return this.toExchange(this.local());
  }

  /** A time of the local clock as the exchange's clock shows it. */
  toExchange(local: number): number {
    if (this.#least <= 0 && this.#most >= 0) return local;
    if (this.#most === Number.POSITIVE_INFINITY) return local + this.#least;
    return local + (this.#least === Number.NEGATIVE_INFINITY ? this.#most : (this.#least + this.#most) / 2);
  }

  /** The earliest that the exchange's clock can show at a time of the local clock; the best guess while nothing is known. */
  toExchangeAtLeast(local: number): number {
    return this.atLeast(local) ?? this.toExchange(local);
  }

  /** What the exchange's clock shows at least at a time of the local clock, by default now, Unix ms; `undefined` while no answer told. */
  atLeast(local = this.local()): number | undefined {
    return this.#least === Number.NEGATIVE_INFINITY ? undefined : local + this.#least;
  }

  /** A reading that differs absurdly is not believed before the next one agrees: nonces made by it would be refused. */
  learn({ shown, resolutionMs, sentAt, receivedAt }: ClockReading): void {
    if (!Number.isFinite(shown)) return;
    const least = shown - receivedAt;
    const saidBefore = this.#absurd;
    this.#absurd = Math.abs(least) > longestOffsetMs ? least : Number.NaN;
    if (!Number.isNaN(this.#absurd) && !(Math.abs(least - saidBefore) <= sameOffsetMs)) return;
    this.#narrow(least, shown + resolutionMs - sentAt);
  }

  /** A nonce was refused for its age: the clock is at least `windowMs` after it, or before it. */
  learnRefusal({ nonce, isTooOld, windowMs, sentAt, receivedAt }: NonceRefusal): void {
    if (isTooOld) this.#narrow(nonce + windowMs - receivedAt, Number.POSITIVE_INFINITY);
    else this.#narrow(Number.NEGATIVE_INFINITY, nonce - windowMs - sentAt);
  }

  /** Bounds that contradict what is known replace it: a clock was set. */
  #narrow(least: number, most: number): void {
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
