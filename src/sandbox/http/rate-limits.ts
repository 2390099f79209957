// The exchange's limits: exact sliding windows over the times that requests arrived.

/** How many requests any window of this length may hold. */
export interface SandboxLimit {
  /** Requests, 1 or more. */
  readonly limit: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
}

/** Spec, Limits, and what the exchange has published of those that the spec does not show. */
export const defaultLimits = {
  public: { limit: 2000, windowMs: 10_000 },
  stockMarket: { limit: 10_000, windowMs: 10_000 },
  marketOrder: { limit: 10_000, windowMs: 10_000 },
  collateralLimit: { limit: 10_000, windowMs: 10_000 },
  cancelOrder: { limit: 10_000, windowMs: 10_000 },
  killSwitch: { limit: 10_000, windowMs: 10_000 },
  orders: { limit: 12_000, windowMs: 10_000 },
  conditionalOrders: { limit: 12_000, windowMs: 10_000 },
  leverage: { limit: 1000, windowMs: 10_000 },
  mainBalance: { limit: 1000, windowMs: 10_000 },
  subAccounts: { limit: 1000, windowMs: 10_000 },
  miningAccounts: { limit: 1000, windowMs: 10_000 },
  oauth: { limit: 1, windowMs: 1000 },
} as const satisfies Record<string, SandboxLimit>;

/** A group of endpoints that share a limit; the names are those of the SDK's `rateLimits`. */
export type SandboxLimitGroup = keyof typeof defaultLimits;

/** What the exchange has published for every endpoint without a limit of its own: a route that a test adds is one. */
const otherLimit: SandboxLimit = { limit: 10_000, windowMs: 10_000 };

/** Counts requests by group. */
export class RateLimits {
  readonly #windows = new Map<string, Window>();
  readonly #limits: ReadonlyMap<string, SandboxLimit>;

  constructor(limits: Readonly<Record<SandboxLimitGroup, SandboxLimit>>) {
    this.#limits = new Map(Object.entries(limits));
  }

  /** Whether a request that arrives at `at` (Unix ms) is within the limit; it is counted when it is. */
  admit(group: string, at: number): boolean {
    const window = this.#windows.get(group) ?? new Window(this.#limits.get(group) ?? otherLimit);
    this.#windows.set(group, window);
    return window.admit(at);
  }

  /** The most requests that any window of the group held. */
  largestWindow(group: string): number {
    return this.#windows.get(group)?.largest ?? 0;
  }
}

/** The times of the requests that the window still holds. */
class Window {
  largest = 0;
  readonly #times: number[] = [];
  #oldest = 0;

  constructor(private readonly bounds: SandboxLimit) {}

  admit(at: number): boolean {
    const { limit, windowMs } = this.bounds;
    while (this.#oldest < this.#times.length && (this.#times[this.#oldest] ?? at) <= at - windowMs) this.#oldest += 1;
    this.#forget();
    const held = this.#times.length - this.#oldest;
    if (held >= limit) return false;
    this.#times.push(at);
    this.largest = Math.max(this.largest, held + 1);
    return true;
  }

  #forget(): void {
    if (this.#oldest <= this.#times.length / 2) return;
    this.#times.splice(0, this.#oldest);
    this.#oldest = 0;
  }
}
