// When the next connection may be made: later after each loss, and never too often.
import { backoff } from '../../call/index.js';
import type { ConnectionEnd } from './connection.js';
import { RequestRate } from './request-rate.js';

const baseDelayMs = 500;
const maxDelayMs = 30_000;
/** After a refused upgrade with one of these statuses, the exchange wants fewer attempts. */
const busyStatuses: readonly (number | undefined)[] = [403, 429, 503];
const busyDelayMs = 5000;
/** Connections of one link: subscribers that come and go must not use up the exchange's 1,000 connections a minute. */
const connectRate = { burst: 10, perSecond: 0.5 };

export class Attempts {
  readonly #random: () => number;
  /** Since a connection has worked. */
  #failures = 0;
  /** When the next attempt may start after a loss, by `performance.now()`. */
  #retryAt = 0;
  readonly #connects = new RequestRate(connectRate, performance.now());

  /** @param random random numbers from 0 to 1 */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Milliseconds until the next attempt, 0 for now; and whether it waits for the rate, and not for the last loss. */
  wait(now: number): { readonly waitMs: number; readonly isRate: boolean } {
    // A timer may fire up to 1 ms early.
    const delayMs = Math.floor(this.#retryAt - now);
    const rateMs = this.#connects.waitMs(now);
    return { waitMs: Math.max(delayMs, rateMs, 0), isRate: rateMs > delayMs };
  }

  /** Counts an attempt. */
  take(): void {
    this.#connects.take();
  }

  /** An attempt has failed, or its connection has ended. */
  fail(end: Pick<ConnectionEnd, 'status' | 'retryAfterMs'>): void {
    this.#retryAt = performance.now() + this.#delayMs(end);
    this.#failures += 1;
  }

  /** A connection has worked: its loss is the first one. */
  forget(): void {
    this.#failures = 0;
  }

  /** Full jitter, so that the clients that one outage has cut off do not return together. */
  #delayMs({ status, retryAfterMs = 0 }: Pick<ConnectionEnd, 'status' | 'retryAfterMs'>): number {
    const maxMs = backoff(this.#failures + 1, baseDelayMs, maxDelayMs);
    const jitterMs = this.#random() * maxMs;
    return Math.max(jitterMs, busyStatuses.includes(status) ? busyDelayMs + jitterMs : 0, retryAfterMs);
  }
}
