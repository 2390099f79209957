export { InFlight } from './in-flight.js';
export {
  checkNamesOf,
  checkOptions as checkSchedulerOptions,
  describeLimit,
  isSameLimit,
  overrideOf,
  priorities,
  type AcquireOptions,
  type LimitOverrides,
  type SchedulerOptions,
} from './options.js';
export type { Permit, PermitUse } from './permit.js';
export type { RedisOptions, WhenRedisIsDown } from './redis/index.js';
export {
  createAdjustableScheduler,
  createScheduler,
  defineRateLimits,
  type AdjustableScheduler,
  type LimitEvent,
  type Scheduler,
  type SchedulerEvent,
} from './scheduler.js';
export type { SharedLimits, SharingEvent } from './sharing.js';
export type { RateLimitUsage } from './usage.js';
