export { checkOptions as checkSchedulerOptions } from './check-options.js';
export type { LimitEvent, SchedulerEvent, SharingEvent } from './events.js';
export { InFlight } from './in-flight.js';
export {
  describeLimit,
  isLimitGroupName,
  isSameLimit,
  limitGroups,
  type LimitGroup,
  type LimitGroupName,
  type LimitOverrides,
  type RateLimit,
} from './limit-groups.js';
export type { Permit, PermitUse } from './permit.js';
export type { RedisOptions, WhenRedisIsDown } from './redis/index.js';
export {
  changeLimits,
  createScheduler,
  type AcquireOptions,
  type Scheduler,
  type SchedulerOptions,
} from './scheduler.js';
export type { SharedLimits } from './limit-sharing.js';
export type { GroupUsage } from './usage.js';
export { priorities, type Priority } from './waiting-line.js';
