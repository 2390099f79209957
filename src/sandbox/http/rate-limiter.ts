// The gateway's rate limits: exact sliding windows over the arrival times of requests. A request can count in several.
import type * as v from 'valibot';
import { integerFrom, numberFrom } from '../check.js';

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

export const limitFields = { limit: integerFrom(1), windowMs: numberFrom(1) } satisfies Record<
  keyof SandboxRateLimit,
  v.GenericSchema
>;

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

export const combinedLimits = new Map<string, SandboxRateLimit & { readonly paths: RegExp }>([
  // Spec, Limits: public REST endpoints. Published since: 20000 for these together, and 2000 for each endpoint.
  ['public', { ...per10s(2000), paths: /^\/api\/v[14]\/public\// }],
  // Published for `main-account/*`.
  ['mainAccount', { ...per10s(1000), paths: /^\/api\/v4\/main-account\// }],
  // Published for the open orders and `trade-account/*`.
  ['orders', { ...per10s(12_000), paths: /^\/api\/v4\/(trade-account\/|orders$)/ }],
]);

export function rateLimitsOf(path: string): string[] {
  return [path, ...[...combinedLimits].flatMap(([name, { paths }]) => (paths.test(path) ? [name] : []))];
}
