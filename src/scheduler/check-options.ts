// A scheduler that cannot work is refused when it is made; a limit that is none, before a request asks for its permit.
import {
  anything,
  checkArgument,
  checkByRules,
  count,
  durationAbove0,
  durationFrom0,
  eachByName,
  nested,
  numberFrom,
  oneOf,
  type OptionRules,
  RequestError,
  type RequestIssue,
  quote,
  trueOrFalse,
  withMethods,
} from '../errors/index.js';
import { InFlight } from './in-flight.js';
import { describeLimit, isRateLimitName, isSameLimit, rateLimits, type RateLimit } from './rate-limits.js';
import type { AcquireOptions, SchedulerOptions } from './scheduler.js';
import { priorities } from './waiting-line.js';

/** A whole group may replace another's limit. */
const rateLimit = nested<RateLimit>({ limit: count(), windowMs: durationAbove0, name: anything }, [
  'limit',
  'windowMs',
]);
const queueBound = numberFrom(0);
const queueBounds = eachByName(queueBound);

const schedulerRules: OptionRules<SchedulerOptions> = {
  limits: eachByName(rateLimit),
  urgentShare: (value) =>
    typeof value === 'number' && value >= 0 && value < 1 ? undefined : `${quote(value)} must be from 0 to below 1`,
  maxQueued: (value, where) => (typeof value === 'object' ? queueBounds(value, where) : queueBound(value, where)),
  lateArrivalMs: durationFrom0,
  maxCoolDownMs: durationFrom0,
  assumeLimitUsed: trueOrFalse,
  redis: withMethods('what shareOverRedis() of exchange-rx/redis returns', 'start'),
};

const acquireRules: OptionRules<AcquireOptions> = {
  endpoint: anything,
  priority: oneOf(...priorities),
  maxWaitMs: durationFrom0,
  inFlight: (value) => (value instanceof InFlight ? undefined : 'must be an InFlight'),
};

/** Throws {@link RequestError} for options that cannot work. */
export function checkOptions(options: SchedulerOptions): void {
  checkByRules('createScheduler', options, schedulerRules);
  const { limits = {}, maxQueued = {} } = options;
  refuse('createScheduler', [
    ...namelessIssues('limits', limits),
    ...(typeof maxQueued === 'number' ? [] : namelessIssues('maxQueued', maxQueued)),
  ]);
}

/** Throws {@link RequestError} for a group whose limit is none. */
export function checkGroup({ name, limit, windowMs }: RateLimit): void {
  checkArgument(name, 'group', { limit, windowMs }, rateLimit);
}

/** Where a group was first seen. */
export interface GroupDefinition {
  readonly group: RateLimit;
  /** The endpoint that used it, or where it is listed. */
  readonly of: string;
}

/**
 * Throws {@link RequestError} for a group that shares its name with one of another limit: one of the two would be
 * exceeded.
 */
export function checkSameGroup(endpoint: string, group: RateLimit, { group: first, of }: GroupDefinition): void {
  if (group === first || isSameLimit(group, first)) return;
  const message = `"${group.name}" is ${describeLimit(group)} here and ${describeLimit(first)} for ${of}: groups of different limits need different names`;
  refuse(endpoint, [{ field: 'group', message }]);
}

/** Throws {@link RequestError} for a name of no group, where one is meant that is listed or was used. */
export function checkGroupName(where: string, name: string, isUsed: boolean): void {
  if (!isUsed && !isRateLimitName(name)) refuse(where, [{ field: 'group', message: `"${name}" ${nameless}` }]);
}

const nameless = `names no group; the groups are ${Object.keys(rateLimits).join(', ')}`;

/** Entries by names that no group has; groups of the user's own are not known yet. */
function namelessIssues(field: string, byName: object): RequestIssue[] {
  return Object.keys(byName).flatMap((name) =>
    isRateLimitName(name) ? [] : [{ field: `${field}.${name}`, message: nameless }],
  );
}

/** Throws {@link RequestError} for what a call asks its permit with. */
export function checkAcquire(endpoint: string, options: AcquireOptions): void {
  checkByRules(endpoint, options, acquireRules);
}

/** Throws {@link RequestError} when there is anything to refuse. */
function refuse(endpoint: string, issues: readonly RequestIssue[]): void {
  if (issues.length > 0) throw new RequestError(endpoint, issues);
}
