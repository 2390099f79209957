export { limitGroups, type LimitGroup, type LimitGroupName, type LimitOverrides, type RateLimit } from './limit-groups.js';
export { createScheduler, type Permit, type PermitUse, type Scheduler, type SchedulerOptions } from './scheduler.js';
