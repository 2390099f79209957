// Promise 1, on fake time: a client that never pauses gets what the limit allows, and no more.
import { createScheduler, type RateLimit, type Scheduler } from 'exchange-rx';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { largestWindow } from '../support/largest-window.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a saturated client', () => {
  /**
   * Sends without pause for a minute with 20 to 80 ms latency; returns the share of the limit that arrived, and the largest
   * window.
   */
  async function minuteOf(scheduler: Scheduler, rateLimit: RateLimit, urgentEvery: number) {
    const random = fc.sample(fc.integer({ min: 10, max: 40 }), { numRuns: 1000, seed: 7 });
    let drawn = 0;
    const latency = () => {
      drawn += 1;
      return random[drawn % random.length] ?? 20;
    };
    const arrivals: number[] = [];
    let requested = 0;
    const next = () => {
      requested += 1;
      scheduler
        .acquire(rateLimit, { priority: requested % urgentEvery === 0 ? 'urgent' : 'normal' })
        .subscribe((permit) => {
          const up = latency();
          setTimeout(() => arrivals.push(performance.now()), up);
          setTimeout(() => {
            permit.release('responded');
            next();
          }, up + latency());
        });
    };
    const since = performance.now();
    for (let loop = 0; loop < 400; loop += 1) next();
    await vi.advanceTimersByTimeAsync(60_000);
    const windows = 60_000 / rateLimit.windowMs;
    const steady = arrivals.filter((time) => time >= since + 10_000 && time < since + 50_000);
    return {
      share: arrivals.length / (rateLimit.limit * windows),
      steadyShare: steady.length / ((rateLimit.limit * 40_000) / rateLimit.windowMs),
      largest: largestWindow(arrivals, rateLimit.windowMs),
    };
  }

  it.each([
    ['of which one request in twenty is urgent', {}, 20],
    ['that needs no reserve for urgent requests', { urgentShare: 0 }, Number.POSITIVE_INFINITY],
  ])(
    'gets at least 98 % of the limit over a minute, and never exceeds it in any window: %s',
    async (_, options, urgentEvery) => {
      const rateLimit = { name: 'public', limit: 2000, windowMs: 10_000 };
      const { share, steadyShare, largest } = await minuteOf(createScheduler(options), rateLimit, urgentEvery);
      expect(largest).toBeLessThanOrEqual(2000);
      expect(share).toBeGreaterThanOrEqual(0.98);
      expect(steadyShare).toBeGreaterThanOrEqual(0.98);
    },
    120_000,
  );
});
