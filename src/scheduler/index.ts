export { InFlight } from './in-flight.js';
export {
  aPriority,
  checkAcquire,
  checkNames,
  describeLimit,
  isSameLimit,
  limitOf,
  limitOverrides,
  type AcquireOptions,
  type LimitOverrides,
  type SchedulerOptions,
  type SharedLimits,
  type SharingEvent,
} from './options.js';
export type { Permit, PermitUse } from './permit.js';
export type { RedisOptions, WhenRedisIsDown } from './redis/index.js';
export type { RateLimitUsage } from './rate-limiter.js';
export { createScheduler, type LimitEvent, type Scheduler, type SchedulerEvent } from './scheduler.js';
