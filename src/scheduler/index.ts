export { checkOptions as checkSchedulerOptions } from './check-options.js';
export type { LimitEvent, SchedulerEvent, SharingEvent } from './events.js';
export { InFlight } from './in-flight.js';
export {
  describeLimit,
  isRateLimitName,
  isSameLimit,
  rateLimits,
  type RateLimit,
  type RateLimitName,
  type LimitOverrides,
  type LimitWindow,
} from './rate-limits.js';
export type { Permit, PermitUse } from './permits-in-use.js';
export type { RedisOptions, WhenRedisIsDown } from './redis/index.js';
export {
  changeLimits,
  createScheduler,
  type AcquireOptions,
  type Scheduler,
  type SchedulerOptions,
} from './scheduler.js';
export type { SharedLimits } from './limit-sharing.js';
export type { RateLimitUsage } from './usage.js';
export { priorities, type Priority } from './waiting-line.js';
