// A Bottleneck limiter whose permits are shared over Redis. Its jobs expire in Redis: the permits of a process that
// died return by that alone.
import Bottleneck from 'bottleneck';
import { maxTimerMs } from '../../errors/index.js';
import type { LeaseLimiter } from '../leases.js';
import { forgottenMs } from './agreement.js';
import type { RedisConnection } from './connection.js';
import { maxSkewMs } from './server.js';
import { failureOf, SharingFailure } from './failure.js';

export interface SharedLimiter extends LeaseLimiter {
  /** Identifies this limiter among those of the other processes; empty before {@link SharedLimiter.ready}. */
  readonly client: string;
  /** Resolves when the first lease can be taken. */
  ready(): Promise<void>;
  /** How many permits all processes hold. The request also shows Redis that this process is alive. */
  running(): Promise<unknown>;
  /**
   * Whether a granted lease has not started for longer than the clocks of the processes may differ. Redis stores its
   * start time, which a process whose clock was set may have moved by hours.
   */
  isDelayed(): boolean;
  /** Sends a message to the other processes. */
  publish(message: string): void;
  /** Drops the leases that wait for their start time: their timers would keep the process alive. */
  close(): void;
}

export interface SharedLimiterOptions {
  readonly redis: Pick<RedisConnection, 'connection' | 'extendJob'>;
  /** Processes that use the same id share the permits. */
  readonly id: string;
  readonly permits: number;
  /** When a lease ends by itself, milliseconds after it was taken or extended. */
  readonly lifeMs: number;
  readonly onFailure: (failure: SharingFailure) => void;
  readonly onMessage: (message: string) => void;
}

const maxStartMs = 3 * maxSkewMs;

/** A lease that was requested from Redis. */
interface RequestedLease {
  /** When it was last requested: its life starts then, or later. */
  readonly takenAt: number;
  /** The name of its job in Redis, as of that request. */
  readonly job: string;
}

export function sharedLimiter({
  redis: { connection, extendJob },
  id,
  permits,
  lifeMs,
  onFailure,
  onMessage,
}: SharedLimiterOptions): SharedLimiter {
  const bottleneck = new Bottleneck({
    connection,
    id,
    maxConcurrent: permits,
    timeout: forgottenMs,
    // Bottleneck's own heartbeat would run for as long as the process lives, also for a rate limit that is not used.
    // While it is used, SharedSource.beat() returns expired permits, and wakes the processes that wait for them.
    heartbeatInterval: maxTimerMs,
  });
  const fail = (error: unknown) => {
    onFailure(failureOf(error));
  };
  bottleneck.on('error', fail);
  bottleneck.on('message', onMessage);
  bottleneck.ready().catch(fail);

  const requested = new Map<string, RequestedLease>();
  /** When each lease was granted that has not started yet. */
  const grantedAt = new Map<string, number>();
  let count = 0;
  let client = '';
  /** The lease that is requested from Redis now: Bottleneck requests one at a time. */
  let next = { lease: '', takenAt: 0 };

  const extend = async (job: string) => {
    const extendedAt = performance.now();
    try {
      if (await extendJob(id, job, Math.ceil(Date.now() + lifeMs))) return extendedAt;
      onFailure(new SharingFailure('a lease could not be extended: it has ended in Redis'));
    } catch (error) {
      fail(error);
    }
    return undefined;
  };

  bottleneck.on('debug', (message: string, info: unknown) => {
    if (message === 'Calling Redis script: register_client.lua' && Array.isArray(info)) client = String(info[1]);
    if (message.startsWith('Draining ') && isAboutJob(info)) {
      next = { lease: info.options.id, takenAt: performance.now() };
    }
    if (message === 'Calling Redis script: register.lua' && Array.isArray(info))
      requested.set(next.lease, { takenAt: next.takenAt, job: String(info[2]) });
    // Redis has the expiry now. Bottleneck would also set a timer for it, which would keep the process alive.
    if (message.startsWith('Drained ') && isAboutJob(info) && info.success === true) {
      info.options.expiration = null;
      grantedAt.set(info.options.id, performance.now());
    }
  });

  return {
    get client() {
      return client;
    },
    schedule({ weight, first }, job) {
      count += 1;
      const lease = `lease-${count}`;
      const run = async () => {
        const { takenAt, job: jobInRedis } = requested.get(lease) ?? { takenAt: performance.now() - lifeMs, job: '' };
        requested.delete(lease);
        grantedAt.delete(lease);
        await job({ takenAt, extend: () => extend(jobInRedis) });
      };
      bottleneck
        .schedule({ id: lease, weight, priority: first ? 0 : 5, expiration: Math.ceil(lifeMs) }, run)
        .catch(fail);
    },
    ready: async () => {
      await bottleneck.ready();
    },
    running: () => bottleneck.running(),
    isDelayed() {
      // In the order of the grants.
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
