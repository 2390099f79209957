// A Bottleneck limiter whose permits are shared over Redis. Its jobs expire there, which is how the permits of a
// process that died come back: Bottleneck never takes them back otherwise.
import Bottleneck from 'bottleneck';
import type { LeaseLimiter } from '../leases.js';
import { forgottenMs } from './agreement.js';
import { maxSkewMs } from './connection.js';
import { failureOf, type SharingFailure } from './failure.js';

export interface SharedLimiter extends LeaseLimiter {
  /** Resolves when the first lease can be taken. */
  ready(): Promise<void>;
  /** How many permits all processes have taken. Also tells Redis that this process lives. */
  running(): Promise<unknown>;
  /**
   * Whether a lease that was granted has not started for longer than the clocks of the processes may differ. Redis
   * names the time when it starts, which a process whose clock was set may have moved by hours.
   */
  isHeldUp(): boolean;
  /** Tells the other processes. */
  publish(message: string): void;
  /**
   * Ends what would be started later: Redis says for how long a lease waits, and the timer would keep the process
   * alive.
   */
  close(): void;
}

export interface SharedLimiterOptions {
  readonly connection: Bottleneck.IORedisConnection;
  /** Processes that name the same share the permits. */
  readonly id: string;
  readonly permits: number;
  /** When a lease ends by itself, milliseconds after it was taken. */
  readonly lifeMs: number;
  readonly onFailure: (failure: SharingFailure) => void;
  readonly onMessage: (message: string) => void;
}

const maxStartMs = 3 * maxSkewMs;

export function sharedLimiter({
  connection,
  id,
  permits,
  lifeMs,
  onFailure,
  onMessage,
}: SharedLimiterOptions): SharedLimiter {
  const bottleneck = new Bottleneck({ connection, id, maxConcurrent: permits, timeout: forgottenMs });
  const fail = (error: unknown) => {
    onFailure(failureOf(error));
  };
  bottleneck.on('error', fail);
  bottleneck.on('message', onMessage);
  bottleneck.ready().catch(fail);

  /** When Redis was last asked for each lease: it counts the life of a lease from that time, or later. */
  const askedAt = new Map<string, number>();
  /** When each lease was granted that has not started. */
  const grantedAt = new Map<string, number>();
  let count = 0;

  bottleneck.on('debug', (message: string, info: unknown) => {
    if (message.startsWith('Draining ') && isAboutJob(info)) askedAt.set(info.options.id, performance.now());
    // Redis knows now when the job expires. Bottleneck would also set a timer for it, which keeps the process alive.
    if (message.startsWith('Drained ') && isAboutJob(info) && info.success === true) {
      info.options.expiration = null;
      grantedAt.set(info.options.id, performance.now());
    }
  });

  return {
    schedule({ weight, first }, job) {
      count += 1;
      const lease = `lease-${count}`;
      const run = async () => {
        const takenAt = askedAt.get(lease);
        askedAt.delete(lease);
        grantedAt.delete(lease);
        await job(takenAt ?? performance.now() - lifeMs);
      };
      bottleneck
        .schedule({ id: lease, weight, priority: first ? 0 : 5, expiration: Math.ceil(lifeMs) }, run)
        .catch(fail);
    },
    ready: async () => {
      await bottleneck.ready();
    },
    running: () => bottleneck.running(),
    isHeldUp() {
      // They are in the order in which they were granted.
      const [first] = grantedAt.values();
      return first !== undefined && performance.now() - first > maxStartMs;
    },
    publish(message) {
      bottleneck.publish(message).catch(fail);
    },
    close() {
      bottleneck.stop({ dropWaitingJobs: true }).catch(() => undefined);
    },
  };
}

function isAboutJob(
  info: unknown,
): info is { readonly options: { readonly id: string; expiration: number | null }; readonly success?: boolean } {
  return typeof info === 'object' && info !== null && 'options' in info;
}
