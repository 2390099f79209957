// The permits that return after their requests: when, and with one timer for each slot.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Returns } from '../../src/scheduler/rate-limiter.js';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers(0);
afterEach(() => {
  vi.restoreAllMocks();
});

function setup(windowMs: number) {
  const seen: { readonly at: number; readonly slot: Record<string, number> }[] = [];
  const returns = new Returns(windowMs, (slot) => seen.push({ at: performance.now(), slot: Object.fromEntries(slot) }));
  return { returns, seen };
}

describe('permits that return', () => {
  it.each([
    ['50 ms of a long window', 60_000, 1010, 1050],
    ['a 200th of a shorter one', 1000, 1011, 1015],
  ])('return at the end of their slot, and never before: %s', async (_, windowMs, ms, at) => {
    const { returns, seen } = setup(windowMs);
    returns.after(ms, 'normal');
    await vi.advanceTimersByTimeAsync(2000);
    expect(seen).toEqual([{ at, slot: { normal: 1 } }]);
  });

  it('of one slot share a timer and return together, counted by priority', async () => {
    const { returns, seen } = setup(10_000);
    returns.after(1010, 'normal');
    returns.after(1020, 'urgent');
    returns.after(1050, 'normal');
    expect(vi.getTimerCount()).toBe(1);
    returns.after(1051, 'normal');
    await vi.advanceTimersByTimeAsync(2000);
    expect(seen).toEqual([
      { at: 1050, slot: { normal: 2, urgent: 1 } },
      { at: 1100, slot: { normal: 1 } },
    ]);
  });

  it('start a new slot when the slot of the same time has ended', async () => {
    const { returns, seen } = setup(10_000);
    returns.after(50, 'normal');
    await vi.advanceTimersByTimeAsync(50);
    returns.after(0, 'normal');
    await vi.advanceTimersByTimeAsync(50);
    expect(seen).toHaveLength(2);
  });

  it('do not return early when their timer fires early', async () => {
    const { returns, seen } = setup(10_000);
    returns.after(1000, 'normal');
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() - 0.9);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toHaveLength(1);
  });
});
