// Permits, one rule at a time, on fake time.
import { createScheduler } from 'exchange-rx';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../support/failure.js';
import { ask, granted, settle } from '../support/permits.js';

const group = { name: 'test', limit: 3, windowMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const asks = (scheduler: ReturnType<typeof createScheduler>, count: number) => Array.from({ length: count }, () => ask(scheduler, group));

describe('permits', () => {
  it('are as many as the limit, and come back a window and a guard after the answer', async () => {
    const scheduler = createScheduler();
    const all = asks(scheduler, 5);
    await settle();
    expect(granted(all)).toEqual([true, true, true, false, false]);
    const answeredAt = Date.now();
    all[0]?.permit?.release('answered');
    await vi.advanceTimersByTimeAsync(1004);
    expect(all[3]?.at).toBeUndefined();
    await settle();
    expect((all[3]?.at ?? 0) - answeredAt).toBeGreaterThanOrEqual(1005);
  });

  it('of requests that were not sent are free at once', async () => {
    const scheduler = createScheduler();
    const all = asks(scheduler, 4);
    await settle();
    all[0]?.permit?.release('unsent');
    await settle();
    expect(all[3]?.permit).toBeDefined();
  });

  it('of requests that may still arrive are held for as long as they can be late, too', async () => {
    const scheduler = createScheduler({ lateArrivalMs: 5000 });
    const all = asks(scheduler, 4);
    await settle();
    all[0]?.permit?.release('unknown');
    await vi.advanceTimersByTimeAsync(5900);
    expect(all[3]?.permit).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    expect(all[3]?.permit).toBeDefined();
  });

  it('come back once, however often they are given back', async () => {
    const scheduler = createScheduler();
    const all = asks(scheduler, 6);
    await settle();
    for (let time = 0; time < 3; time += 1) all[0]?.permit?.release('unsent');
    await settle();
    expect(granted(all)).toEqual([true, true, true, true, false, false]);
  });

  it('are not taken by those who left the line', async () => {
    const scheduler = createScheduler();
    const all = asks(scheduler, 5);
    await settle();
    all[3]?.leave();
    all[0]?.permit?.release('answered');
    await vi.advanceTimersByTimeAsync(1200);
    expect([all[3]?.permit, all[4]?.permit !== undefined]).toEqual([undefined, true]);
  });

  it('follow the limits that replace a group’s own', async () => {
    const scheduler = createScheduler({ limits: { test: { limit: 1, windowMs: 10 } } });
    const all = asks(scheduler, 2);
    await settle();
    expect(granted(all)).toEqual([true, false]);
  });

  it('are there in the tick in which an idle client asks, from the first request on and again when it was idle', async () => {
    const scheduler = createScheduler();
    const quick = { name: 'quick', limit: 1, windowMs: 1000 };
    for (const each of [group, quick]) {
      for (let time = 0; time < 3; time += 1) {
        const asked = ask(scheduler, each);
        expect(asked.permit).toBeDefined();
        asked.permit?.release('answered');
        await vi.advanceTimersByTimeAsync(1100);
      }
    }
  });

  it('are all taken at the start, when the program may have been restarted within a window', async () => {
    const scheduler = createScheduler({ startTaken: true, lateArrivalMs: 2000 });
    const startedAt = Date.now();
    const large = { name: 'large', limit: 500, windowMs: 1000 };
    const all = [...asks(scheduler, 3), ...Array.from({ length: 500 }, () => ask(scheduler, large))];
    await vi.advanceTimersByTimeAsync(3000);
    expect(all.every(({ permit }) => permit === undefined)).toBe(true);
    await vi.advanceTimersByTimeAsync(1000);
    // The reserve of ten is for urgent requests.
    expect(granted(all).filter(Boolean)).toHaveLength(493);
    expect(Math.min(...all.map(({ at = Number.POSITIVE_INFINITY }) => at)) - startedAt).toBeGreaterThanOrEqual(3005);
  });

  it('of one scheduler are shared by all who use it', async () => {
    const scheduler = createScheduler();
    const all = [...asks(scheduler, 2), ...Array.from({ length: 2 }, () => ask(scheduler, { ...group }))];
    await settle();
    expect(granted(all)).toEqual([true, true, true, false]);
  });

  it('are given out again when the wall clock was set back', async () => {
    const scheduler = createScheduler();
    const all = asks(scheduler, 3);
    await settle();
    vi.setSystemTime(Date.now() - 3_600_000);
    for (const { permit } of all) permit?.release('answered');
    const late = asks(scheduler, 4);
    await vi.advanceTimersByTimeAsync(1000);
    expect(granted(late)).toEqual([false, false, false, false]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(granted(late)).toEqual([true, true, true, false]);
  });
});

describe('a scheduler that cannot work is refused', () => {
  it.each([
    ['limits.public.limit', { limits: { public: { limit: 0, windowMs: 10 } } }],
    ['limits.public.limit', { limits: { public: { limit: 1.5, windowMs: 10 } } }],
    ['limits.public.windowMs', { limits: { public: { limit: 1, windowMs: 0 } } }],
    ['limits.public.windowMs', { limits: { public: { limit: 1, windowMs: Number.NaN } } }],
    ['urgentShare', { urgentShare: 1 }],
    ['urgentShare', { urgentShare: -0.1 }],
    ['maxQueued', { maxQueued: -1 }],
    ['maxQueued.public', { maxQueued: { public: Number.NaN } }],
    ['lateArrivalMs', { lateArrivalMs: Number.POSITIVE_INFINITY }],
    ['redis.url', { redis: { url: 'http://127.0.0.1' } }],
    ['whenRedisIsDown.share', { redis: { url: 'redis://127.0.0.1' }, whenRedisIsDown: { share: 0 } }],
  ])('for its %s: %j', (field, options) => {
    expect(() => createScheduler(options)).toThrow(expect.objectContaining({ kind: 'request', issues: [expect.objectContaining({ field })] }));
  });

  it.each([
    ['group.limit', { ...group, limit: 0 }, {}],
    ['group.windowMs', { ...group, windowMs: -1 }, {}],
    ['expiresInMs', group, { expiresInMs: -1 }],
    ['expiresInMs', group, { expiresInMs: Number.NaN }],
  ])('and so is a request, for its %s', async (field, bad, options) => {
    const error = await failureOf(createScheduler().acquire(bad, options));
    expect(error).toMatchObject({ kind: 'request', outcome: 'not-sent', issues: [{ field }] });
  });
});
