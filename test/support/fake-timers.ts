// The timers of vitest, faked in every test of a file.
import { afterEach, beforeEach, vi } from 'vitest';

/** Each test starts at this time, by default now. */
export function useFakeTimers(now?: number): void {
  beforeEach(() => {
    vi.useFakeTimers(now === undefined ? {} : { now });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}
