// Requests for permits on fake time, and the exchange's count of what was sent with them.
import type { AcquireOptions, RateLimit, Permit, Scheduler } from 'exchange-rx';
import { vi } from 'vitest';

export interface Asked {
  /** When the permit came, fake Unix ms. */
  at?: number;
  permit?: Permit;
  error?: unknown;
  leave(): void;
}

/** Asks for a permit, and keeps what comes of it. */
export function ask(scheduler: Scheduler, group: RateLimit, options: AcquireOptions = {}): Asked {
  const asked: Asked = {
    leave: () => {
      subscription.unsubscribe();
    },
  };
  const subscription = scheduler.acquire(group, options).subscribe({
    next: (permit) => {
      asked.at = Date.now();
      asked.permit = permit;
    },
    error: (error: unknown) => {
      asked.error = error;
    },
  });
  return asked;
}

/** Which of them have their permit. */
export function granted(all: readonly Asked[]): boolean[] {
  return all.map(({ permit }) => permit !== undefined);
}

/** Long enough for Bottleneck to grant what it has. */
export const settle = () => vi.advanceTimersByTimeAsync(50);
