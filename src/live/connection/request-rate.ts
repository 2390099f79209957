// How fast requests are sent on one connection. The exchange accepts 12,000 in 10 s; the defaults stay far below.

/** Bounds of the requests of a connection. */
export interface RequestRateOptions {
  /** Requests a second, once the burst is used up. */
  readonly perSecond: number;
  /** Requests that may be sent at once. */
  readonly burst: number;
  /** Requests in any 60 s; Infinity for no such bound. */
  readonly perMinute: number;
}

const minuteMs = 60_000;

export class RequestRate {
  readonly #options: RequestRateOptions;
  #tokens: number;
  #filledAt: number;
  /** When the requests of the last minute were sent, where they are bounded. Oldest first. */
  readonly #sentAt: number[] = [];

  /** Times are those of `performance.now()`. */
  constructor(options: RequestRateOptions, now: number) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledAt = now;
  }

  /** Milliseconds until the next request may be sent; 0 for now. */
  waitMs(now: number): number {
    const { perSecond, burst, perMinute } = this.#options;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * perSecond);
    this.#filledAt = now;
    while ((this.#sentAt[0] ?? now) <= now - minuteMs) this.#sentAt.shift();
    const [oldest = now] = this.#sentAt;
    const minuteWaitMs = this.#sentAt.length < perMinute ? 0 : oldest + minuteMs - now;
    const tokenWaitMs = this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / perSecond) * 1000;
    return Math.ceil(Math.max(minuteWaitMs, tokenWaitMs));
  }

  /** Counts a request that is sent after the wait that this returns, milliseconds; 0 for now. */
  reserve(now: number): number {
    const waitMs = this.waitMs(now);
    this.take(now);
    return waitMs;
  }

  /** Counts a request that is sent. */
  take(now: number): void {
    this.#tokens -= 1;
    if (this.#options.perMinute !== Number.POSITIVE_INFINITY) this.#sentAt.push(now);
  }
}
