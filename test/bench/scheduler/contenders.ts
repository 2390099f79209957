// The ways to keep a rate limit that are compared, each used as its own documentation says.
import Bottleneck from 'bottleneck';
import { createScheduler } from 'exchange-rx';
import { RateLimiter } from 'limiter';
import PQueue from 'p-queue';

/**
 * Runs the job when it may start; the promise is settled when it has ended. The job resolves with its response.
 */
export type Run = (job: () => Promise<void>, signal?: AbortSignal) => Promise<void>;

export interface Contender {
  readonly name: string;
  /** Whether a request that waits can be taken back. */
  readonly cancels: boolean;
  limit(limit: number, windowMs: number): Run;
}

export const contenders: readonly Contender[] = [
  {
    name: 'exchange-rx',
    cancels: true,
    limit(limit, windowMs) {
      const scheduler = createScheduler({ urgentShare: 0, maxQueued: 1_000_000 });
      const group = { name: 'bench', limit, windowMs };
      return (job, signal) =>
        new Promise((resolve, reject) => {
          const waiting = scheduler.acquire(group).subscribe({
            next: (permit) => {
              job().then(() => {
                permit.release('responded');
                resolve();
              }, reject);
            },
            error: reject,
          });
          signal?.addEventListener('abort', () => {
            waiting.unsubscribe();
            resolve();
          });
        });
    },
  },
  {
    name: 'bottleneck',
    cancels: false,
    limit(limit, windowMs) {
      const limiter = new Bottleneck({
        reservoir: limit,
        reservoirRefreshAmount: limit,
        reservoirRefreshInterval: windowMs,
      });
      return (job) => limiter.schedule(job);
    },
  },
  {
    name: 'p-queue',
    cancels: true,
    limit(limit, windowMs) {
      const queue = new PQueue({ intervalCap: limit, interval: windowMs });
      return (job, signal) => queue.add(job, signal === undefined ? {} : { signal }).catch(() => undefined);
    },
  },
  {
    name: 'p-queue strict',
    cancels: true,
    limit(limit, windowMs) {
      const queue = new PQueue({ intervalCap: limit, interval: windowMs, strict: true });
      return (job, signal) => queue.add(job, signal === undefined ? {} : { signal }).catch(() => undefined);
    },
  },
  {
    name: 'limiter',
    cancels: false,
    limit(limit, windowMs) {
      const limiter = new RateLimiter({ tokensPerInterval: limit, interval: windowMs });
      return async (job) => {
        await limiter.removeTokens(1);
        await job();
      };
    },
  },
];
