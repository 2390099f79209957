// The permits that Redis has granted to this process: how many it claims, and until when it may use them.
import { expect, it, vi } from 'vitest';
import { SharedLimit } from '../../src/scheduler/redis/shared-limit.js';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();

const now = () => performance.now();

/** A shared limit of 100 requests in 10 s, of which Redis has granted this number. */
function setup(first = 0) {
  const terms = { name: 'test', limit: 100, windowMs: 10_000, lateArrivalMs: 10_000, maxQueued: 10 };
  const onAvailable = vi.fn();
  const limit = new SharedLimit(terms, onAvailable, () => undefined, 0);
  const claimed = () => {
    const { held, heldUrgent, wanted, wantedUrgent } = limit.claim(now());
    return { held: [held, heldUrgent], wanted: [wanted, wantedUrgent] };
  };
  const grant = (granted: number, closedUntil = 0) => {
    const division = { identity: 'one', now: 0, knownForMs: 60_000, shares: [] };
    limit.divided({ granted, permits: 100, free: 0, closedUntil }, division, now());
  };
  grant(first);
  return { limit, onAvailable, claimed, grant, available: (isUrgent = false) => limit.available(isUrgent, now()) };
}

it('claims what requests want, then what it holds, and no permit after it has returned', async () => {
  const { limit, claimed, grant, available } = setup();
  limit.want({ all: 3, urgent: 1 });
  expect([claimed(), available()]).toEqual([{ held: [0, 0], wanted: [3, 1] }, 0]);
  grant(3);
  expect([claimed(), available()]).toEqual([{ held: [3, 0], wanted: [0, 0] }, 3]);
  limit.take('normal', now());
  limit.putBack(limit.take('urgent', now()), 'responded');
  expect([claimed(), available()]).toEqual([{ held: [3, 0], wanted: [0, 0] }, 1]);
  await vi.advanceTimersByTimeAsync(10_100);
  expect(claimed().held).toEqual([2, 0]);
});

it('cools down for as long as another process has announced, and claims no permit meanwhile', () => {
  const { limit, claimed, grant } = setup();
  grant(0, 5000);
  limit.want({ all: 3, urgent: 0 });
  expect([limit.coolDownMs(), claimed().wanted]).toEqual([5000, [0, 0]]);
});

it('uses permits for 0.3 of the time between a window and their life after a call, and again after the next call', () => {
  const { grant, available } = setup(3);
  vi.advanceTimersByTime(2840);
  expect(available()).toBe(3);
  vi.advanceTimersByTime(10);
  expect(available()).toBe(0);
  grant(0);
  expect(available()).toBe(3);
});

it('never uses a permit again that was not used in its time: another process may have it', () => {
  const { limit, claimed, grant, available } = setup(2);
  const [early, late] = [limit.take('normal', now()), limit.take('normal', now())];
  limit.putBack(early, 'unsent');
  expect(available()).toBe(1);
  vi.advanceTimersByTime(2850);
  grant(0);
  limit.putBack(late, 'unsent');
  expect([claimed().held, available()]).toEqual([[1, 0], 1]);
});

it('keeps only the permits in use when its last call is as old as their life', () => {
  const { limit, claimed, grant, available } = setup(2);
  limit.take('normal', now());
  vi.advanceTimersByTime(19_000);
  grant(0);
  expect([claimed().held, available()]).toEqual([[1, 0], 0]);
});

it('uses no more than its share while Redis is lost, of which one in fifty is for urgent requests', async () => {
  const { limit, available, grant } = setup(20);
  limit.take('normal', now());
  limit.lose(0);
  expect([available(true), limit.isOpen(true, now())]).toEqual([0, false]);
  limit.lose(0.5);
  limit.want({ all: 80, urgent: 0 });
  await vi.advanceTimersByTimeAsync(50);
  expect([available(), available(true)]).toEqual([48, 49]);
  limit.putBack(limit.take('normal', now()), 'unsent');
  grant(0);
  expect(available()).toBe(0);
});

it('serves the requests that wait after each call, not only after the first', () => {
  const { onAvailable, grant } = setup();
  onAvailable.mockClear();
  grant(0);
  expect(onAvailable).toHaveBeenCalledTimes(1);
});
