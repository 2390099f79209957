// How fast requests are sent on one connection. The exchange accepts 12,000 in 10 s; the defaults stay far below.

/** Bounds of the requests of a connection. */
export interface RequestRateOptions {
  /** Requests a second, once the burst is used up. */
  readonly perSecond: number;
  /** Requests that may be sent at once. */
  readonly burst: number;
}

export class RequestRate {
  readonly #options: RequestRateOptions;
  #tokens: number;
  #filledAt: number;

  /** Times are those of `performance.now()`. */
  constructor(options: RequestRateOptions, now: number) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledAt = now;
  }

  /** Milliseconds until the next request may be sent; 0 for now. */
  waitMs(now: number): number {
    const { perSecond, burst } = this.#options;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * perSecond);
    this.#filledAt = now;
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / perSecond) * 1000);
  }

  /** Counts a request that is sent after the wait that this returns, milliseconds; 0 for now. */
  reserve(now: number): number {
    const waitMs = this.waitMs(now);
    this.take();
    return waitMs;
  }

  /** Counts a request that is sent. */
  take(): void {
    this.#tokens -= 1;
  }
}
