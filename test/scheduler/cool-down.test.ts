// What a 429 does: someone else sends from the same address, and a ban is near.
import { createExchange, createScheduler, type Scheduler } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { CoolDown } from '../../src/scheduler/cool-down.js';
import { failureOf } from '../support/failure.js';
import { granted, requestPermit, requestPermits, settle, usageOf } from '../support/permits.js';
import { useFakeTimers } from '../support/fake-timers.js';
import { collected, eventsOf } from '../support/watch.js';

const rateLimit = { name: 'test', limit: 100, windowMs: 1000 };

useFakeTimers();

/** Sends requests without end, each with a response after 20 ms. Returns the times of sending. */
function saturate(scheduler: Scheduler): number[] {
  const sent: number[] = [];
  const next = () => {
    scheduler.acquire(rateLimit).subscribe((permit) => {
      sent.push(performance.now());
      setTimeout(() => {
        permit.release('responded');
        next();
      }, 20);
    });
  };
  for (let loop = 0; loop < 100; loop += 1) next();
  return sent;
}

/** Sends a request that gets a 429. */
function limitNow(scheduler: Scheduler, retryAfterMs?: number): number {
  requestPermit(scheduler, rateLimit, { priority: 'urgent' }).permit?.release('rate-limited', retryAfterMs);
  return performance.now();
}

const between = (times: readonly number[], from: number, to: number) =>
  times.filter((time) => time >= from && time < to).length;

describe('after a 429', () => {
  it('sends no request of the rate limit for one window, not even an urgent one', async () => {
    const scheduler = createScheduler();
    const at = limitNow(scheduler);
    const urgent = requestPermit(scheduler, rateLimit, { priority: 'urgent' });
    await vi.advanceTimersByTimeAsync(1004);
    expect(urgent.permit).toBeUndefined();
    await settle();
    expect(urgent.permit).toBeDefined();
    expect((urgent.at ?? 0) - Date.now() + performance.now() - at).toBeGreaterThanOrEqual(1005);
  });

  it('cools down for at most six windows when Retry-After is a day', async () => {
    const scheduler = createScheduler();
    const events = collected(scheduler.events$);
    const at = limitNow(scheduler, 86_400_000);
    const sent = saturate(scheduler);
    await vi.advanceTimersByTimeAsync(6500);
    expect(events).toMatchObject([{ coolDownMs: 6000 }]);
    expect(between(sent, 0, at + 6000)).toBe(0);
    expect(sent.length).toBeGreaterThan(0);
    // During a ramp-up, one urgent request per window is sent beyond it.
    expect(granted(requestPermits(2, scheduler, rateLimit, { priority: 'urgent' }))).toEqual([true, false]);
  });

  it('sends one urgent request per window while none of them gets a response', async () => {
    const scheduler = createScheduler();
    const at = limitNow(scheduler, 6000);
    const sent: number[] = [];
    for (let cancel = 0; cancel < 50; cancel += 1)
      scheduler.acquire(rateLimit, { priority: 'urgent' }).subscribe(() => sent.push(performance.now() - at));
    const quote = requestPermit(scheduler, rateLimit);
    await vi.advanceTimersByTimeAsync(5500);
    expect(sent).toHaveLength(5);
    sent.forEach((time, index) => {
      expect(time).toBeGreaterThanOrEqual((index + 1) * 1005);
      expect(time).toBeLessThan((index + 1) * 1005 + 60);
    });
    expect(quote.permit).toBeUndefined();
  });

  it('starts the ramp-up when an urgent request gets a response', async () => {
    const scheduler = createScheduler();
    limitNow(scheduler, 86_400_000);
    const cancels = requestPermits(2, scheduler, rateLimit, { priority: 'urgent' });
    const sent = saturate(scheduler);
    await vi.advanceTimersByTimeAsync(1050);
    expect(granted(cancels)).toEqual([true, false]);
    expect(sent).toEqual([]);
    cancels[0]?.permit?.release('responded');
    const respondedAt = performance.now();
    await vi.advanceTimersByTimeAsync(250);
    expect(cancels[1]?.permit).toBeDefined();
    expect(sent.length).toBeGreaterThan(0);
    await vi.advanceTimersByTimeAsync(750);
    expect(between(sent, 0, respondedAt + 1000)).toBeLessThanOrEqual(50);
  });

  it.each([
    ['gets no response', 'unknown', 6000],
    ['gets another 429', 'rate-limited', 5000],
  ] as const)('goes on when an urgent request %s', async (_, use, retryAfterMs) => {
    const scheduler = createScheduler();
    const at = limitNow(scheduler, retryAfterMs);
    const cancel = requestPermit(scheduler, rateLimit, { priority: 'urgent' });
    const sent = saturate(scheduler);
    await vi.advanceTimersByTimeAsync(1050);
    cancel.permit?.release(use, retryAfterMs);
    await vi.advanceTimersByTimeAsync(5150);
    expect(between(sent, 0, at + 6000)).toBe(0);
    expect(sent.length).toBeGreaterThan(0);
  });

  it('passes the probe of an urgent request that is not sent to the next one in the same window', async () => {
    const scheduler = createScheduler();
    limitNow(scheduler, 10_000);
    await vi.advanceTimersByTimeAsync(1100);
    const [unsent, other] = requestPermits(2, scheduler, rateLimit, { priority: 'urgent' });
    await settle();
    expect(unsent?.permit).toBeDefined();
    expect(other?.permit).toBeUndefined();
    unsent?.permit?.release('unsent');
    expect(other?.permit).toBeDefined();
    await vi.advanceTimersByTimeAsync(900);
    const next = requestPermit(scheduler, rateLimit, { priority: 'urgent' });
    expect(next.permit).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    expect(next.permit).toBeDefined();
  });

  it.each([undefined, 0])('counts several 429s at once as one incident, with Retry-After %o', async (retryAfterMs) => {
    const scheduler = createScheduler();
    const all = requestPermits(6, scheduler, rateLimit);
    await settle();
    for (const { permit } of all) {
      permit?.release('rate-limited', retryAfterMs);
      await vi.advanceTimersByTimeAsync(20);
    }
    const opensAt = performance.now() + 1005;
    const sent = saturate(scheduler);
    await vi.advanceTimersByTimeAsync(5000);
    expect(between(sent, opensAt, opensAt + 1000)).toBeGreaterThan(30);
  });

  it('reports an event, and the end of the cool-down in usage$', async () => {
    const scheduler = createScheduler();
    const events = collected(scheduler.events$);
    limitNow(scheduler, 5000);
    expect(events).toEqual([{ type: 'limit', rateLimit: 'test', coolDownMs: 5000 }]);
    const until = () => usageOf(scheduler)['test']?.coolDownUntil;
    expect(until()).toBe(Date.now() + 5000);
    await vi.advanceTimersByTimeAsync(5500);
    expect(until()).toBeUndefined();
  });
});

describe('a client whose address another program uses, too', () => {
  it('gets one 429, reports it, and then waits', async () => {
    vi.useRealTimers();
    const sandbox = createSandbox({ limits: { public: { limit: 2, windowMs: 400 } } });
    const exchange = createExchange({
      ...sandbox.clientOptions(),
      retry: false,
      limits: { public: { limit: 10, windowMs: 400 } },
    });
    const limited = eventsOf(exchange, 'limit');
    const results = await Promise.allSettled(Array.from({ length: 3 }, () => failureOf(exchange.public.ping())));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(limited).toHaveLength(1);
    await lastValueFrom(exchange.public.ping());
    // It waited until the exchange accepted a request again: there was no second 429.
    expect(limited).toHaveLength(1);
  });
});

describe('the permits that a cool-down allows', () => {
  const windowMs = 1000;
  const create = () => new CoolDown({ limit: 100, windowMs });
  /** A cool-down of one second from 0, of 100 requests per second. */
  function started() {
    const coolDown = create();
    coolDown.start(0, 1000);
    return coolDown;
  }

  it('are unbounded before a 429, zero during the cool-down, grow from one over two windows, and are unbounded', () => {
    const coolDown = create();
    expect([coolDown.remainingMs(0), coolDown.maxInUse(0)]).toEqual([0, Number.POSITIVE_INFINITY]);
    coolDown.start(0, 1000);
    expect([0, 400, 1000].map((now) => coolDown.remainingMs(now))).toEqual([1000, 600, 0]);
    expect([999, 1000, 1019, 1020, 1500, 2000, 2999, 3000].map((now) => coolDown.maxInUse(now))).toEqual([
      0,
      1,
      1,
      1,
      25,
      50,
      99,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it('are zero until the longest cool-down ends', () => {
    const coolDown = started();
    coolDown.start(100, 5000);
    coolDown.start(1200, 1000);
    expect([coolDown.remainingMs(1200), coolDown.maxInUse(5099), coolDown.maxInUse(5100)]).toEqual([3900, 0, 1]);
    expect(coolDown.maxInUse(6100)).toBe(50);
  });

  it('are not reduced by a response to a probe that comes after the cool-down', () => {
    const coolDown = started();
    coolDown.onProbed(coolDown.startProbe(900), 1500);
    expect(coolDown.maxInUse(2000)).toBe(50);
  });

  it('do not change with a probe from before another 429, nor does the pause between probes', () => {
    const coolDown = started();
    const probe = coolDown.startProbe(100);
    coolDown.start(200, 5000);
    coolDown.onProbed(probe, 300);
    coolDown.cancelProbe(probe);
    expect([coolDown.remainingMs(300), coolDown.canProbe(1204), coolDown.canProbe(1205)]).toEqual([4900, false, true]);
  });

  it('are looked up again after the cool-down, a step of the ramp-up, or the pause between urgent requests', () => {
    const coolDown = create();
    coolDown.start(0, 3000);
    const inMs = (isUrgent: boolean) =>
      [0, 900.5, 1005, 2990, 3010, 5000].map((now) => coolDown.moreInMs(now, isUrgent));
    expect(inMs(false)).toEqual([3000, 2100, 1995, 20, 20, Number.POSITIVE_INFINITY]);
    expect(inMs(true)).toEqual([1005, 105, 1995, 20, 20, Number.POSITIVE_INFINITY]);
  });

  it('are zero for a window when the 429 after a shorter cool-down shows that it was too short', () => {
    const coolDown = create();
    coolDown.start(0, 100);
    expect(coolDown.remainingMs(0)).toBe(100);
    // Of a request in flight together with the first one.
    coolDown.start(50, 100);
    expect(coolDown.remainingMs(50)).toBe(100);
    coolDown.start(150, 100);
    expect(coolDown.remainingMs(150)).toBe(855);
  });

  it('grow over twice as many windows after each 429 during a ramp-up, up to 32', () => {
    const coolDown = started();
    const opening: number[] = [];
    // One window and a guard after the 429 before: another incident.
    let now = 1005;
    for (let time = 0; time < 6; time += 1) {
      coolDown.start(now, 1000);
      now += 1000;
      let openFor = 0;
      while (coolDown.maxInUse(now + openFor) < Number.POSITIVE_INFINITY) openFor += windowMs;
      opening.push(openFor / windowMs);
      now += 5;
    }
    expect(opening).toEqual([4, 8, 16, 32, 32, 32]);
  });

  it('grow over two windows again when the previous ramp-up had ended', () => {
    const coolDown = started();
    coolDown.start(1500, 1000);
    coolDown.start(2500 + 4000, 1000);
    expect([coolDown.maxInUse(7500 + 1999), coolDown.maxInUse(7500 + 2000)]).toEqual([99, Number.POSITIVE_INFINITY]);
  });
});
