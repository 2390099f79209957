import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WallClock } from '../../src/scheduler/wall-clock.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a step of the wall clock', () => {
  it.each([250, 3_600_000, -250, -3_600_000])('by %i ms is reported once', (by) => {
    vi.advanceTimersByTime(5000);
    const clock = new WallClock();
    vi.advanceTimersByTime(5000);
    expect(clock.step()).toBe(0);
    vi.setSystemTime(Date.now() + by);
    vi.advanceTimersByTime(5000);
    expect([clock.step(), clock.step()]).toEqual([by, 0]);
  });

  it('below 250 ms is ignored until steps add up', () => {
    const clock = new WallClock();
    vi.setSystemTime(Date.now() + 249);
    expect(clock.step()).toBe(0);
    vi.setSystemTime(Date.now() + 1);
    expect(clock.step()).toBe(250);
  });
});
