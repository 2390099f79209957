// Fake time for tests with thousands of timers: vitest's searches all timers for each one that fires.
import { install } from '@sinonjs/fake-timers';
import { afterEach, beforeEach } from 'vitest';

export interface FakeTime {
  /** Runs the timers of this time, in milliseconds, and what their promises do. */
  advance(ms: number): Promise<unknown>;
}

/**
 * Replaces the timers, the date and `performance` in each test of a file.
 *
 * @param now Unix ms at the start of each test
 */
export function useFakeTime(now = 1_000_000): FakeTime {
  let clock: ReturnType<typeof install>;
  beforeEach(() => {
    const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
    clock = install({ now, toFake: [...timers, 'Date', 'performance'] });
  });
  afterEach(() => {
    clock.uninstall();
  });
  return { advance: (ms) => clock.tickAsync(ms) };
}
