// Where a scheduler's groups get permits that they share with other processes. The scheduler knows this and no more:
// what it is over is loaded by those who use it.
import type { SharingEvent } from './events.js';
import type { RateLimiter } from './rate-limiter.js';

/**
 * Limits that several processes share: made by `shareOverRedis` of `exchange-rx/redis`, given to
 * {@link createScheduler}.
 */
export interface SharedLimits {
  /** Processes that name the same share their limits. */
  readonly name: string;
  /**
   * Begins to share, and reports how that goes.
   *
   * @internal
   */
  start(report: (event: SharingEvent) => void): SharedGroups;
}

/** The groups of one scheduler that share. */
export interface SharedGroups {
  /** Gives the group its permits, now and whenever there are others. */
  add(group: RateLimiter): void;
}
