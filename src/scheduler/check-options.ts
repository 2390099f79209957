// A scheduler that cannot work is refused when it is made; a limit that is none, before a request asks for its permit.
import { RequestError, type RequestIssue } from '../errors.js';
import { longestTimerMs } from '../longest-timer.js';
import { describeLimit, isLimitGroupName, isSameLimit, limitGroups, type LimitGroup, type RateLimit } from './limit-groups.js';
import type { SchedulerOptions } from './scheduler.js';
import { priorities, type Priority } from './waiting-line.js';

/** Throws {@link RequestError} for options that cannot work. */
export function checkOptions(options: SchedulerOptions): void {
  const { limits = {}, urgentShare = 0, maxQueued = 0, lateArrivalMs = 0, maxClosedMs = 0, redis } = options;
  const issues: RequestIssue[] = namelessIssues('limits', limits);
  for (const [name, limit] of Object.entries<RateLimit | undefined>(limits)) if (limit !== undefined) issues.push(...limitIssues(`limits.${name}`, limit));
  if (redis !== undefined && !isSharedLimits(redis)) issues.push({ field: 'redis', message: 'must be what shareOverRedis() of exchange-rx/redis returns' });
  if (!(urgentShare >= 0 && urgentShare < 1)) issues.push({ field: 'urgentShare', message: `${urgentShare} must be from 0 to below 1` });
  if (typeof maxQueued !== 'number') issues.push(...namelessIssues('maxQueued', maxQueued));
  const bounds = typeof maxQueued === 'number' ? [['maxQueued', maxQueued] as const] : Object.entries(maxQueued).map(([name, bound]) => [`maxQueued.${name}`, bound] as const);
  for (const [field, bound] of bounds) if (!(bound >= 0)) issues.push({ field, message: `${bound} must be 0 or more` });
  issues.push(...durationIssues('lateArrivalMs', lateArrivalMs), ...durationIssues('maxClosedMs', maxClosedMs));
  refuse('createScheduler', issues);
}

/** By JavaScript anything may be given. */
function isSharedLimits(redis: object): boolean {
  return 'start' in redis && typeof redis.start === 'function';
}

/** Throws {@link RequestError} for a group whose limit is none. */
export function checkGroup(group: LimitGroup): void {
  refuse(group.name, limitIssues('group', group));
}

/** Where a group was first seen. */
export interface GroupDefinition {
  readonly group: LimitGroup;
  /** The endpoint that used it, or where it is listed. */
  readonly of: string;
}

/** Throws {@link RequestError} for a group that shares its name with one of another limit: one of the two would be exceeded. */
export function checkSameGroup(endpoint: string, group: LimitGroup, { group: first, of }: GroupDefinition): void {
  if (group === first || isSameLimit(group, first)) return;
  const message = `"${group.name}" is ${describeLimit(group)} here and ${describeLimit(first)} for ${of}: groups of different limits need different names`;
  refuse(endpoint, [{ field: 'group', message }]);
}

/** Throws {@link RequestError} for a name of no group, where one is meant that is listed or was used. */
export function checkGroupName(where: string, name: string, isUsed: boolean): void {
  if (!isUsed && !isLimitGroupName(name)) refuse(where, [{ field: 'group', message: `"${name}" ${nameless}` }]);
}

const nameless = `names no group; the groups are ${Object.keys(limitGroups).join(', ')}`;

/** Entries by names that no group has; groups of the user's own are not known yet. */
function namelessIssues(field: string, byName: object): RequestIssue[] {
  return Object.keys(byName).flatMap((name) => (isLimitGroupName(name) ? [] : [{ field: `${field}.${name}`, message: nameless }]));
}

/** Throws {@link RequestError} for what a call asks its permit with. */
export function checkAcquire(endpoint: string, priority: Priority, expiresInMs = 0): void {
  const issues = durationIssues('expiresInMs', expiresInMs);
  if (!priorities.includes(priority)) issues.push({ field: 'priority', message: `"${priority}" must be one of ${priorities.join(', ')}` });
  refuse(endpoint, issues);
}

function limitIssues(field: string, { limit, windowMs }: RateLimit): RequestIssue[] {
  const issues: RequestIssue[] = [];
  if (!(Number.isInteger(limit) && limit >= 1)) issues.push({ field: `${field}.limit`, message: `${limit} must be an integer of 1 or more` });
  if (!(windowMs > 0 && windowMs <= longestTimerMs)) issues.push({ field: `${field}.windowMs`, message: `${windowMs} must be above 0 and at most ${longestTimerMs}` });
  return issues;
}

function durationIssues(field: string, ms: number): RequestIssue[] {
  return ms >= 0 && ms <= longestTimerMs ? [] : [{ field, message: `${ms} must be from 0 to ${longestTimerMs}` }];
}

/** Throws {@link RequestError} when there is anything to refuse. */
export function refuse(endpoint: string, issues: readonly RequestIssue[]): void {
  if (issues.length > 0) throw new RequestError(endpoint, issues);
}
