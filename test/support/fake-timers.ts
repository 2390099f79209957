// The timers of vitest, faked in every test of a file.
import type { Observable } from 'rxjs';
import { afterEach, beforeEach, vi } from 'vitest';
import { watch } from './watch.js';

/** Each test starts at this time, by default now. */
export function useFakeTimers(now?: number): void {
  beforeEach(() => {
    vi.useFakeTimers(now === undefined ? {} : { now });
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
