// How a scheduler shares its limits with other processes. The scheduler knows these interfaces only: what implements
// them, such as the Redis client, is loaded by the programs that share limits.
import type { RateLimiter } from './rate-limiter.js';

/**
 * The state of limits that are shared over Redis:
 * - `joined`: permits come from Redis. Reported again when the smallest limit that a process announces changes.
 * - `waiting`: Redis is connected, but permits that were granted before the connection may still count.
 * - `lost`: Redis is not available, or its data cannot be relied on. No permit is granted.
 * - `alone`: as `lost`, but this process goes on with its share of each limit (`whenRedisIsDown`).
 */
export interface SharingEvent {
  /** Discriminates the events. */
  readonly type: 'sharing';
  /** The new state: see above. */
  readonly state: 'joined' | 'waiting' | 'lost' | 'alone';
  /** The reason, in words of this package: text from the server or the network is never quoted. */
  readonly reason: string;
}

/** Limits that several processes share: `shareOverRedis()` of `exchange-rx/redis`, for {@link createScheduler}. */
export interface SharedLimits {
  /** Processes that use the same name share their limits. */
  readonly name: string;
  /**
   * Starts to share, and reports each change of state. `add` provides a rate limiter with permits from then on.
   *
   * @internal
   */
  start(report: (event: SharingEvent) => void): { readonly add: (limiter: RateLimiter) => void };
}
