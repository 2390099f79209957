// A permit as its holder sees it, and where the permits of a rate limit come from: this process alone, or processes that
// share the limit.
import type { LimitWindow } from '../endpoint/index.js';

/** The right to send one request. */
export interface Permit {
  /**
   * Releases the permit: of all rate limits for which it was requested. Later calls do nothing. A permit that is
   * never released stays in use.
   *
   * @param retryAfterMs the exchange's `Retry-After` after a 429, milliseconds, 0 or more. Default: one window.
   */
  release(use: PermitUse, retryAfterMs?: number): void;
}

/**
 * The outcome of the request that a permit was used for:
 * - `unsent`: the request was not sent; the permit is free at once.
 * - `responded`: the exchange has counted the request, and forgets it one window later.
 * - `rate-limited`: as `responded`, but with status 429, which starts a cool-down.
 * - `unknown`: the request may still arrive; the permit is held for 10 s longer.
 */
export type PermitUse = 'unsent' | 'responded' | 'rate-limited' | 'unknown';

/** Permits of one kind that this process holds. */
export interface Permits {
  /** Permits that can be used now. */
  readonly available: number;
  /** Permits that were taken and not put back. */
  readonly out: number;
  /** Takes an available permit. Returns until when it may be used, by `performance.now()`. */
  take(): number;
  /**
   * Puts back permits.
   *
   * @param isUnused whether their requests were not sent, and they may still be used: they are available at once
   */
  putBack(count: number, isUnused?: boolean): void;
  /** Requests permits for this many waiting requests and a few for the next ones, and returns what is too much. */
  want(waiting: number): void;
}

/** The permits of one rate limit. */
export interface PermitSource {
  /** For all requests. */
  readonly main: Permits;
  /** For urgent requests only. A small limit has no reserve. */
  readonly reserve: Permits | undefined;
  /** Free permits, as far as this process knows. */
  free(): number;
  /** Called about once a second while a request waits. */
  check?(): void;
  /** Announces a cool-down of this length, milliseconds, to the processes that share the permits. */
  announceCoolDown?(ms: number): void;
}

/** How many requests could use a permit of a rate limit now. */
export interface Demand {
  all: number;
  urgent: number;
}

/**
 * Timers fire up to a millisecond early and clocks differ: the guard is this share of the window, and 5 ms at least.
 */
const guardShare = 0.001;
const minGuardMs = 5;

/**
 * How long after the response a permit returns: one window and a guard. By then the exchange has forgotten the request.
 */
export function forgetMsOf(windowMs: number): number {
  return windowMs + Math.max(minGuardMs, windowMs * guardShare);
}

/** How many permits a rate limit has, how long they are held, and how many requests may wait for one. */
export interface PermitTerms extends LimitWindow {
  /** Name of the rate limit. */
  readonly name: string;
  /** How many permits are reserved for urgent requests. */
  readonly reserved: number;
  /** How late a request may still arrive after the client gave up on it, milliseconds. */
  readonly lateArrivalMs: number;
  /** Maximum number of queued requests. */
  readonly maxQueued: number;
}
