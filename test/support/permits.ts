// Requests for permits on fake time.
import type { AcquireOptions, RateLimit, RateLimitUsage, Permit, Scheduler } from 'exchange-rx';
import { vi } from 'vitest';

export interface Requested {
  /** When the permit was granted, fake Unix ms. */
  at?: number;
  permit?: Permit;
  error?: unknown;
  unsubscribe(): void;
}

export function requestPermit(
  scheduler: Scheduler,
  rateLimit: RateLimit | readonly RateLimit[],
  options: AcquireOptions = {},
): Requested {
  const requested: Requested = {
    unsubscribe: () => {
      subscription.unsubscribe();
    },
  };
  const subscription = scheduler.acquire(rateLimit, options).subscribe({
    next: (permit) => {
      requested.at = Date.now();
      requested.permit = permit;
    },
    error: (error: unknown) => {
      requested.error = error;
    },
  });
  return requested;
}

export function requestPermits(count: number, ...request: Parameters<typeof requestPermit>): Requested[] {
  return Array.from({ length: count }, () => requestPermit(...request));
}

/** The usage of every rate limit that was used, by its name. */
export function usageOf({ usage$ }: Scheduler): Record<string, RateLimitUsage> {
  let usage: readonly RateLimitUsage[] = [];
  usage$.subscribe((now) => (usage = now)).unsubscribe();
  return Object.fromEntries(usage.map((one) => [one.rateLimit, one]));
}

export function granted(all: readonly Requested[]): boolean[] {
  return all.map(({ permit }) => permit !== undefined);
}

/** Long enough for Bottleneck to grant what it has. */
export const settle = () => vi.advanceTimersByTimeAsync(50);
