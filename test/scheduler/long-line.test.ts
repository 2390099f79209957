// A line of many.
import { createScheduler } from 'exchange-rx';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ask, type Asked } from '../support/permits.js';

const group = { name: 'test', limit: 1, windowMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('leaving the line', () => {
  it('is as quick from a long one as from a short one, and frees its memory', () => {
    const scheduler = createScheduler({ maxQueued: 1_000_000 });
    const leaving = (count: number) => {
      const all: Asked[] = Array.from({ length: count }, () => ask(scheduler, group, { maxWaitMs: 60_000 }));
      for (const asked of all) asked.leave();
      expect(vi.getTimerCount()).toBeLessThan(10);
    };
    leaving(100_000);
    const seen: number[] = [];
    scheduler.usage$.subscribe((usage) => seen.push(usage[0]?.queued.normal ?? -1)).unsubscribe();
    expect(seen).toEqual([0]);
  });
});
