// Permits, one rule at a time, on fake time.
import { createExchange, createScheduler, rateLimits, type Priority } from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { takeUntil, timer } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { failureOf } from '../support/failure.js';
import { granted, requestPermit, requestPermits, settle } from '../support/permits.js';
import type { SharedLimits } from 'exchange-rx/redis';
import { useFakeTimers } from '../support/fake-timers.js';
import { watch } from '../support/watch.js';

const rateLimit = { name: 'test', limit: 3, windowMs: 1000 };

useFakeTimers();

describe('permits', () => {
  it.each([
    [1000, 1005],
    [60_000, 60_060],
  ])(
    'equal the limit in number, and return one window and a guard after the response: a window of %d ms',
    async (windowMs, returnMs) => {
      const scheduler = createScheduler();
      const all = requestPermits(5, scheduler, { ...rateLimit, windowMs });
      await settle();
      expect(granted(all)).toEqual([true, true, true, false, false]);
      const respondedAt = Date.now();
      all[0]?.permit?.release('responded');
      await vi.advanceTimersByTimeAsync(returnMs - 1);
      expect(all[3]?.at).toBeUndefined();
      await vi.advanceTimersByTimeAsync(100);
      expect((all[3]?.at ?? 0) - respondedAt).toBeGreaterThanOrEqual(returnMs);
    },
  );

  it('return once, however often they are released', async () => {
    const scheduler = createScheduler();
    const all = requestPermits(6, scheduler, rateLimit);
    await settle();
    const { release } = { ...all[0]?.permit };
    for (let time = 0; time < 3; time += 1) release?.('unsent');
    await settle();
    expect(granted(all)).toEqual([true, true, true, true, false, false]);
  });

  it('follow the limits that replace the default ones', async () => {
    const scheduler = createScheduler({ limits: { public: { limit: 1, windowMs: 10 } } });
    const all = requestPermits(2, scheduler, rateLimits.public);
    await settle();
    expect(granted(all)).toEqual([true, false]);
  });

  it('are granted in the same tick to an idle client, from the first request on', async () => {
    const scheduler = createScheduler();
    const large = { name: 'large', limit: 2000, windowMs: 1000 };
    for (const [each, times, everyMs] of [
      [rateLimit, 3, 1100],
      [{ ...rateLimit, name: 'quick', limit: 1 }, 3, 1100],
      [large, 100, 10],
    ] as const)
      for (let time = 0; time < times; time += 1) {
        const requested = requestPermit(scheduler, each);
        expect(requested.permit).toBeDefined();
        requested.permit?.release('responded');
        await vi.advanceTimersByTimeAsync(everyMs);
      }
  });

  it('are granted again after the wall clock was set back', async () => {
    const scheduler = createScheduler();
    const all = requestPermits(3, scheduler, rateLimit);
    await settle();
    vi.setSystemTime(Date.now() - 3_600_000);
    for (const { permit } of all) permit?.release('responded');
    const late = requestPermits(4, scheduler, rateLimit);
    requestPermits(1, scheduler, rateLimit)[0]?.unsubscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect(granted(late)).toEqual([false, false, false, false]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(granted(late)).toEqual([true, true, true, false]);
  });
});

/** The error of one invalid argument. */
const refusalOf = (endpoint: string, field: string, message: string) => ({
  ...{ kind: 'request', endpoint, outcome: 'not-executed', issues: [{ field, message }] },
});

describe('invalid options', () => {
  const limitOf = (limit: number, windowMs: number) => ({ limits: { public: { limit, windowMs } } });
  const longest = 2 ** 31 - 1;

  const redisAt = (url: unknown) => ({ redis: { url } as unknown as SharedLimits });

  it.each([
    ['limits.public.limit', '0 must be an integer of 1 or more', limitOf(0, 10)],
    ['limits.public.limit', '1.5 must be an integer of 1 or more', limitOf(1.5, 10)],
    ['limits.public.windowMs', `0 must be above 0 and at most ${longest}`, limitOf(1, 0)],
    ['limits.public.windowMs', `NaN must be above 0 and at most ${longest}`, limitOf(1, Number.NaN)],
    ['limits.public.windowMs', `${longest + 1} must be above 0 and at most ${longest}`, limitOf(1, longest + 1)],
    ['maxQueued', '-1 must be 0 or more', { maxQueued: -1 }],
    ['redis', 'must be what shareOverRedis() of exchange-rx/redis returns', redisAt('redis://127.0.0.1')],
  ])('are refused by createScheduler: %s %s', (field, message, options) => {
    expect(() => createScheduler(options)).toThrow(
      expect.objectContaining(refusalOf('createScheduler', field, message)),
    );
  });

  it.each([
    ['url', 'must begin with "redis://" or "rediss://"', { url: 5 as unknown as string }],
    ['shareWhenDown', '-0.1 must be from 0 to 1', { url: 'redis://127.0.0.1', shareWhenDown: -0.1 }],
    ['shareWhenDown', '1.1 must be from 0 to 1', { url: 'rediss://127.0.0.1', shareWhenDown: 1.1 }],
  ])('are refused by shareOverRedis: %s %s', (field, message, options) => {
    expect(() => shareOverRedis(options)).toThrow(expect.objectContaining(refusalOf('shareOverRedis', field, message)));
  });

  it.each([
    ['pubic', '; did you mean public?'],
    ['orders.cancle', '; did you mean orders.cancel?'],
    ['toString', ''],
  ])('are refused for an unknown rate limit when a client is made: %s', (name, suggestion) => {
    const scheduler = createScheduler({ limits: { [name]: { limit: 1, windowMs: 10 } } });
    const refusal = refusalOf('createScheduler', `limits.${name}`, `is not a rate limit${suggestion}`);
    expect(() => createExchange({ baseUrl: 'https://exchange.example', scheduler })).toThrow(
      expect.objectContaining(refusal),
    );
  });

  it('are reported all at once', () => {
    expect(() => createScheduler({ ...limitOf(0, 10), maxQueued: -1 })).toThrow(
      expect.objectContaining({
        issues: ['limits.public.limit', 'maxQueued'].map((field) => expect.objectContaining({ field }) as unknown),
      }),
    );
  });

  it.each([limitOf(1, longest), { maxQueued: 0 }])('do not include the bounds: %j', (options) => {
    expect(() => createScheduler(options)).not.toThrow();
  });

  it('include a rate limit whose name belongs to a different one', async () => {
    const scheduler = createScheduler();
    requestPermit(scheduler, rateLimit, { endpoint: 'fee' });
    expect(requestPermit(scheduler, { ...rateLimit }).permit).toBeDefined();
    const error = await failureOf(scheduler.acquire({ ...rateLimit, windowMs: 500 }, { endpoint: 'trades' }));
    const message =
      '"test" is 3 requests / 500 ms here but 3 requests / 1000 ms in another endpoint: use another name for this rate limit';
    expect(error).toMatchObject(refusalOf('trades', 'rateLimit', message));
    createExchange({ baseUrl: 'https://exchange.example', scheduler });
    const first = await failureOf(scheduler.acquire({ ...rateLimits.public, limit: 9 }, { endpoint: 'trades' }));
    expect(first).toMatchObject({
      issues: [{ message: expect.stringContaining('2000 requests / 10000 ms in another endpoint') as string }],
    });
  });

  it.each([
    ['rateLimit.limit', '0 must be an integer of 1 or more', { ...rateLimit, limit: 0 }],
    ['rateLimit.windowMs', `-1 must be above 0 and at most ${longest}`, { ...rateLimit, windowMs: -1 }],
  ])('include an invalid %s of a request', async (field, message, bad) => {
    expect(await failureOf(createScheduler().acquire(bad))).toMatchObject(refusalOf('test', field, message));
  });

  it.each([
    ['maxWaitMs', `-1 must be from 0 to ${longest}`, { maxWaitMs: -1 }],
    ['maxWaitMs', `NaN must be from 0 to ${longest}`, { maxWaitMs: Number.NaN }],
    ['maxWaitMs', `Infinity must be from 0 to ${longest}`, { maxWaitMs: Number.POSITIVE_INFINITY }],
    ['priority', '"first" must be one of urgent, normal', { priority: 'first' as Priority }],
  ])('of a request are refused: %s', async (field, message, options) => {
    const { scheduler: ofClient } = createExchange({ baseUrl: 'https://exchange.example' });
    for (const scheduler of [createScheduler(), ofClient]) {
      const error = await failureOf(scheduler.acquire(rateLimit, { endpoint: 'public.ping', ...options }));
      expect(error).toMatchObject(refusalOf('public.ping', field, message));
    }
  });
});

describe('usage$', () => {
  const large = { name: 'test', limit: 100, windowMs: 1000 };

  it('reports permits in use, also of the reserve, free permits, and waiting requests of every rate limit that was used', async () => {
    const scheduler = createScheduler();
    const all = requestPermits(120, scheduler, large);
    await settle();
    all.push(requestPermit(scheduler, large, { priority: 'urgent' }));
    const seen = watch(scheduler.usage$.pipe(takeUntil(timer(5001))));
    const usage = { ...{ rateLimit: 'test', limit: 100, windowMs: 1000 }, used: 99, free: 1, coolDownUntil: undefined };
    expect(seen).toEqual([[{ ...usage, queued: { urgent: 0, normal: 22 } }]]);
    for (const { permit } of all) permit?.release('responded');
    await vi.advanceTimersByTimeAsync(5001);
    expect(seen.at(-1)).toMatchObject([{ queued: { urgent: 0, normal: 0 } }]);
    expect(seen).toHaveLength(11);
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
