// The permits that Redis has granted to this process: how many it claims, and until when it may use them.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RateLimiter } from '../../src/scheduler/rate-limiter.js';
import { SharedLimit } from '../../src/scheduler/redis/shared-limit.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setup() {
  const terms = { name: 'test', limit: 100, windowMs: 10_000, reserved: 0, lateArrivalMs: 10_000, maxQueued: 10 };
  const onAvailable = vi.fn();
  const limiter = new RateLimiter(terms, onAvailable);
  const shared = new SharedLimit(limiter, 0, () => undefined);
  shared.useShared();
  const claim = () => shared.claims(performance.now()).map(({ held, wanted }) => ({ held, wanted }))[0];
  const grant = (granted: number) => {
    const division = { identity: 'one', now: 0, knownForMs: 60_000, shares: [] };
    const share = { free: 0, closedUntil: 0 };
    const shares = [
      { ...share, granted, permits: 100 },
      { ...share, granted: 0, permits: 0 },
    ];
    shared.divided(shares, division, performance.now(), true);
  };
  return { limiter, shared, onAvailable, claim, grant, available: () => limiter.available(false, performance.now()) };
}

it('claims what requests want, then what it holds, and no permit after it has returned', () => {
  const { limiter, claim, grant, available } = setup();
  limiter.want({ all: 3, urgent: 0 });
  expect([claim(), available()]).toEqual([{ held: 0, wanted: 3 }, 0]);
  grant(3);
  expect([claim(), available()]).toEqual([{ held: 3, wanted: 0 }, 3]);
  limiter.take(performance.now());
  limiter.take(performance.now()).permits.putBack(1);
  expect([claim(), available()]).toEqual([{ held: 2, wanted: 0 }, 1]);
});

it('uses permits for 0.3 of the time between a window and their life after a call, and again after the next call', () => {
  const { limiter, grant, available } = setup();
  limiter.want({ all: 3, urgent: 0 });
  grant(3);
  vi.advanceTimersByTime(2840);
  expect(available()).toBe(3);
  vi.advanceTimersByTime(10);
  expect(available()).toBe(0);
  grant(0);
  expect(available()).toBe(3);
});

it('never uses a permit again that was not used in its time: another process may have it', () => {
  const { limiter, claim, grant, available } = setup();
  limiter.want({ all: 2, urgent: 0 });
  grant(2);
  const [early, late] = [limiter.take(performance.now()), limiter.take(performance.now())];
  limiter.putBack(early, 'unsent');
  expect(available()).toBe(1);
  vi.advanceTimersByTime(2850);
  grant(0);
  limiter.putBack(late, 'unsent');
  expect([claim(), available()]).toEqual([{ held: 1, wanted: 0 }, 1]);
});

it('keeps only the permits in use when its last call is as old as their life', () => {
  const { limiter, claim, grant, available } = setup();
  limiter.want({ all: 2, urgent: 0 });
  grant(2);
  limiter.take(performance.now());
  vi.advanceTimersByTime(19_000);
  grant(0);
  expect([claim(), available()]).toEqual([{ held: 1, wanted: 0 }, 0]);
});

it('serves the requests that wait after each call, not only after the first', () => {
  const { shared, onAvailable } = setup();
  onAvailable.mockClear();
  shared.useShared();
  expect(onAvailable).toHaveBeenCalledTimes(1);
});
