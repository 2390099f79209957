// The timers of vitest, faked in every test of a file.
import type { Observable } from 'rxjs';
import { afterEach, beforeEach, vi } from 'vitest';
import { watch } from './watch.js';

/** Each test starts at this time (Unix ms): the same in every run, because some rules are other ones at whole seconds. */
export function useFakeTimers(now = 1_790_000_000_123): void {
  beforeEach(() => {
    vi.useFakeTimers({ now });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Subscribes, and keeps what comes: the values, and the error that ends them. Returns after this fake time. */
export async function within(ms: number, source: Observable<unknown>): Promise<unknown[]> {
  const reported = watch(source);
  await vi.advanceTimersByTimeAsync(ms);
  return reported;
}
