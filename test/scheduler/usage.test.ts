// The readings of usage$.
import { createScheduler, type RateLimitUsage } from 'exchange-rx';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requestPermit, settle } from '../support/permits.js';

const rateLimit = { name: 'test', limit: 100, windowMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('usage$', () => {
  it('reports permits in use, free permits, and waiting requests of every rate limit that was used', async () => {
    const scheduler = createScheduler();
    const all = Array.from({ length: 120 }, () => requestPermit(scheduler, rateLimit));
    await settle();
    const seen: (readonly RateLimitUsage[])[] = [];
    const subscription = scheduler.usage$.subscribe((usage) => seen.push(usage));
    expect(seen).toEqual([
      [
        {
          rateLimit: 'test',
          limit: 100,
          windowMs: 1000,
          used: 98,
          free: 2,
          queued: { urgent: 0, normal: 22 },
          coolDownUntil: undefined,
        },
      ],
    ]);
    for (const { permit } of all) permit?.release('responded');
    await vi.advanceTimersByTimeAsync(5000);
    expect(seen.at(-1)?.[0]).toMatchObject({ queued: { urgent: 0, normal: 0 } });
    expect(seen).toHaveLength(11);
    subscription.unsubscribe();
  });

  it('counts permits of the reserve as used', async () => {
    const scheduler = createScheduler();
    for (let requested = 0; requested < 98; requested += 1) requestPermit(scheduler, rateLimit);
    await settle();
    requestPermit(scheduler, rateLimit, { priority: 'urgent' });
    const seen: (readonly RateLimitUsage[])[] = [];
    scheduler.usage$.subscribe((usage) => seen.push(usage)).unsubscribe();
    expect(seen).toMatchObject([[{ used: 99, free: 1 }]]);
  });

  it('reads twice a second for any number of subscribers, and never without one', async () => {
    const scheduler = createScheduler();
    const late: number[] = [];
    const subscriptions = [scheduler.usage$.subscribe(), scheduler.usage$.subscribe()];
    subscriptions.push(scheduler.usage$.subscribe((usage) => late.push(usage.length)));
    expect(late).toEqual([0]);
    expect(vi.getTimerCount()).toBe(1);
    for (const subscription of subscriptions) subscription.unsubscribe();
    expect(vi.getTimerCount()).toBe(0);
    await settle();
  });
});
