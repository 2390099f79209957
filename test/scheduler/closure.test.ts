// What a 429 does: someone else sends from the same address, and a ban is near.
import { createExchange, createScheduler, type Scheduler, type SchedulerEvent } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../support/failure.js';
import { largestWindow } from '../support/largest-window.js';
import { ask, settle } from '../support/permits.js';

const group = { name: 'test', limit: 100, windowMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Requests without end, each answered after 20 ms: tells when they are sent. */
function saturate(scheduler: Scheduler): number[] {
  const sent: number[] = [];
  const next = () => {
    scheduler.acquire(group).subscribe((permit) => {
      sent.push(performance.now());
      setTimeout(() => {
        permit.release('answered');
        next();
      }, 20);
    });
  };
  for (let loop = 0; loop < 100; loop += 1) next();
  return sent;
}

/** Has the exchange answer a request with 429. */
function limitNow(scheduler: Scheduler, retryAfterMs?: number): number {
  ask(scheduler, group, { priority: 'urgent' }).permit?.release('rate-limited', retryAfterMs);
  return performance.now();
}

const between = (times: readonly number[], from: number, to: number) => times.filter((time) => time >= from && time < to).length;

describe('after a 429', () => {
  it('nothing of the group is sent for a window, be it urgent', async () => {
    const scheduler = createScheduler();
    const at = limitNow(scheduler);
    const urgent = ask(scheduler, group, { priority: 'urgent' });
    await vi.advanceTimersByTimeAsync(1004);
    expect(urgent.permit).toBeUndefined();
    await settle();
    expect(urgent.permit).toBeDefined();
    expect((urgent.at ?? 0) - Date.now() + performance.now() - at).toBeGreaterThanOrEqual(1005);
  });

  it('nothing of the group is sent for as long as the exchange asks to wait', async () => {
    const scheduler = createScheduler();
    limitNow(scheduler, 7000);
    const sent = saturate(scheduler);
    await vi.advanceTimersByTimeAsync(6999);
    expect(sent).toEqual([]);
    await settle();
    expect(sent.length).toBeGreaterThan(0);
  });

  it('the group opens slowly, over two windows', async () => {
    const scheduler = createScheduler();
    const opensAt = limitNow(scheduler) + 1005;
    const sent = saturate(scheduler);
    await vi.advanceTimersByTimeAsync(6000);
    expect(between(sent, 0, opensAt)).toBe(0);
    const quarters = [0, 250, 500, 750].map((from) => between(sent, opensAt + from, opensAt + from + 250));
    for (const quarter of quarters) expect(quarter).toBeGreaterThanOrEqual(8);
    for (const quarter of quarters) expect(quarter).toBeLessThanOrEqual(15);
    expect(between(sent, opensAt + 3000, opensAt + 4000)).toBeGreaterThan(90);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(100);
  });

  it('and another while it opens, it opens more slowly', async () => {
    const scheduler = createScheduler();
    limitNow(scheduler);
    await vi.advanceTimersByTimeAsync(1500);
    const opensAt = limitNow(scheduler) + 1005;
    const sent = saturate(scheduler);
    await vi.advanceTimersByTimeAsync(5000);
    expect(between(sent, opensAt, opensAt + 1000)).toBeLessThanOrEqual(26);
  });

  it('several at once are one occasion', async () => {
    const scheduler = createScheduler();
    const all = Array.from({ length: 5 }, () => ask(scheduler, group));
    await settle();
    for (const { permit } of all) permit?.release('rate-limited');
    const opensAt = performance.now() + 1005;
    const sent = saturate(scheduler);
    await vi.advanceTimersByTimeAsync(5000);
    expect(between(sent, opensAt, opensAt + 1000)).toBeGreaterThan(40);
  });

  it('other groups go on', () => {
    const scheduler = createScheduler();
    limitNow(scheduler);
    expect(ask(scheduler, { ...group, name: 'other' }).permit).toBeDefined();
  });

  it('it is reported, and usage tells until when the group is closed', async () => {
    const scheduler = createScheduler();
    const events: SchedulerEvent[] = [];
    scheduler.events$.subscribe((event) => events.push(event));
    limitNow(scheduler, 5000);
    expect(events).toEqual([{ type: 'limit', group: 'test', closedForMs: 5000 }]);
    const closed: (number | undefined)[] = [];
    const subscription = scheduler.usage$.subscribe(([usage]) => closed.push(usage?.closedUntil));
    expect(closed).toEqual([Date.now() + 5000]);
    await vi.advanceTimersByTimeAsync(5500);
    expect(closed.at(-1)).toBeUndefined();
    subscription.unsubscribe();
  });
});

describe('a client that shares its address without knowing', () => {
  it('meets one 429, tells of it, and then waits', async () => {
    vi.useRealTimers();
    const sandbox = createSandbox({ limits: { public: { limit: 2, windowMs: 400 } } });
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: false, limits: { public: { limit: 10, windowMs: 400 } } });
    const events: string[] = [];
    exchange.events$.subscribe(({ type }) => events.push(type));
    const results = await Promise.allSettled(Array.from({ length: 3 }, () => failureOf(exchange.public.ping())));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(events.filter((type) => type === 'limit')).toHaveLength(1);
    const since = performance.now();
    await new Promise((resolve) => exchange.public.ping().subscribe({ complete: () => { resolve(undefined); } }));
    expect(performance.now() - since).toBeGreaterThanOrEqual(380);
  });
});
