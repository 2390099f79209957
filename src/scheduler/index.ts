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
  type SharingEvent,
} from './options.js';
export type { Permit, PermitUse, RateLimitUsage } from './rate-limiter.js';
export { createScheduler, type Scheduler, type SchedulerEvent } from './scheduler.js';
