// The gateway's rate limits: exact sliding windows over the arrival times of requests. A request can count in several.
import { integerFrom, numberFrom, type ChecksOf } from '../check.js';

/** A rate limit: the number of requests that any window of this length may hold. */
export interface SandboxRateLimit {
  /** Number of requests, 1 or more. */
  readonly limit: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
}

export function per10s(limit: number): SandboxRateLimit {
  return { limit, windowMs: 10_000 };
}

export const limitFields = { limit: integerFrom(1), windowMs: numberFrom(1) } satisfies ChecksOf<SandboxRateLimit>;

export class RateLimiter {
  readonly #windows = new Map<string, Window>();

  constructor(private readonly limitOf: (name: string) => SandboxRateLimit) {}

  /** Counts a request at `at` (Unix milliseconds) in each limit; false, and counted in none, when one is full. */
  admit(rateLimits: readonly string[], at: number): boolean {
    const windows = rateLimits.map((name) => this.#window(name));
    // Every window forgets the times that left it, so no short-circuit.
    if (windows.filter((window) => !window.hasRoom(at)).length > 0) return false;
    for (const window of windows) window.add(at);
    return true;
  }

  maxRequestsInWindow(rateLimit: string): number {
    return this.#windows.get(rateLimit)?.maxRequests ?? 0;
  }

  #window(name: string): Window {
    const window = this.#windows.get(name) ?? new Window(this.limitOf(name));
    this.#windows.set(name, window);
    return window;
  }
}

class Window {
  maxRequests = 0;
  readonly #times: number[] = [];

  constructor(private readonly rateLimit: SandboxRateLimit) {}

  hasRoom(at: number): boolean {
    const { limit, windowMs } = this.rateLimit;
    const first = this.#times.findIndex((time) => time > at - windowMs);
    this.#times.splice(0, first < 0 ? this.#times.length : first);
    return this.#times.length < limit;
  }

  add(at: number): void {
    this.#times.push(at);
    this.maxRequests = Math.max(this.maxRequests, this.#times.length);
  }
}

export const defaultLimit = per10s(10_000);

interface Group {
  readonly paths: RegExp;
  /** Published: of each endpoint without one of its own, and of all endpoints of a group with a name together. */
  readonly rateLimit: SandboxRateLimit;
  readonly name?: string;
}

const groups: readonly Group[] = [
  // Spec, Limits: public REST endpoints. Published since: 20000 for these together, and 2000 for each endpoint.
  { name: 'public', paths: /^\/api\/v[14]\/public\//, rateLimit: per10s(2000) },
  { name: 'mainAccount', paths: /^\/api\/v4\/main-account\//, rateLimit: per10s(1000) },
  { name: 'orders', paths: /^\/api\/v4\/(trade-account\/|orders$)/, rateLimit: per10s(12_000) },
  { paths: /^\/api\/v4\/collateral-account\//, rateLimit: per10s(12_000) },
  { paths: /^\/api\/v4\/(mining|sub-account)\//, rateLimit: per10s(1000) },
];

/** The rate limits that several endpoints share, by name. */
export const combinedLimits = new Map(
  groups.flatMap(({ name, rateLimit }) => (name === undefined ? [] : [[name, rateLimit] as const])),
);

export function ownLimitOf(path: string): SandboxRateLimit {
  return groups.find(({ paths }) => paths.test(path))?.rateLimit ?? defaultLimit;
}

export function rateLimitsOf(path: string): string[] {
  return [path, ...groups.flatMap(({ name, paths }) => (name !== undefined && paths.test(path) ? [name] : []))];
}
