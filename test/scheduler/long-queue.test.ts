// A line of many.
import { createScheduler } from 'exchange-rx';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requestPermit, type Requested } from '../support/permits.js';

const rateLimit = { name: 'test', limit: 1, windowMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('leaving the queue', () => {
  it('takes the same time in a long queue as in a short one, and frees its memory', () => {
    const scheduler = createScheduler({ maxQueued: 1_000_000 });
    const leaving = (count: number) => {
      const all: Requested[] = Array.from({ length: count }, () =>
        requestPermit(scheduler, rateLimit, { maxWaitMs: 60_000 }),
      );
      for (const requested of all) requested.unsubscribe();
      expect(vi.getTimerCount()).toBeLessThan(10);
    };
    leaving(30_000);
    const seen: number[] = [];
    scheduler.usage$.subscribe((usage) => seen.push(usage[0]?.queued.normal ?? -1)).unsubscribe();
    expect(seen).toEqual([0]);
  });
});
