// The gateway's rate limits: exact sliding windows over the arrival times of requests.

/** A rate limit: the number of requests that any window of this length may hold. */
export interface SandboxRateLimit {
  /** Number of requests, 1 or more. */
  readonly limit: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
}

/** Published for every endpoint without its own limit; used for the routes that tests add. */
const otherLimit: SandboxRateLimit = { limit: 10_000, windowMs: 10_000 };

/** Counts the requests of each rate limit. */
export class RateLimiter {
  readonly #windows = new Map<string, Window>();
  readonly #limits: ReadonlyMap<string, SandboxRateLimit>;

  constructor(limits: Readonly<Record<string, SandboxRateLimit>>) {
    this.#limits = new Map(Object.entries(limits));
  }

  /** Counts a request that arrives at `at` (Unix milliseconds); false, and not counted, when it exceeds the limit. */
  admit(rateLimit: string, at: number): boolean {
    const window = this.#windows.get(rateLimit) ?? new Window(this.#limits.get(rateLimit) ?? otherLimit);
    this.#windows.set(rateLimit, window);
    return window.admit(at);
  }

  /** The maximum number of requests that any window of the rate limit has held. */
  maxRequestsInWindow(rateLimit: string): number {
    return this.#windows.get(rateLimit)?.maxRequests ?? 0;
  }
}

/** The arrival times that the current window holds. */
class Window {
  maxRequests = 0;
  readonly #times: number[] = [];
  #oldest = 0;

  constructor(private readonly rateLimit: SandboxRateLimit) {}

  admit(at: number): boolean {
    const { limit, windowMs } = this.rateLimit;
    while (this.#oldest < this.#times.length && (this.#times[this.#oldest] ?? at) <= at - windowMs) this.#oldest += 1;
    this.#forget();
    const count = this.#times.length - this.#oldest;
    if (count >= limit) return false;
    this.#times.push(at);
    this.maxRequests = Math.max(this.maxRequests, count + 1);
    return true;
  }

  #forget(): void {
    if (this.#oldest <= this.#times.length / 2) return;
    this.#times.splice(0, this.#oldest);
    this.#oldest = 0;
  }
}
