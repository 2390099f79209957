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
  shown,
  trueOrFalse,
  withMethods,
  type OptionRules,
} from '../option-rules.js';
import { InFlight } from './in-flight.js';
import type { LimitGroup } from './limit-groups.js';
import type { AcquireOptions, SchedulerOptions } from './scheduler.js';
import { priorities } from './waiting-line.js';

/** A whole group may replace another's limit. */
const rateLimit = nested<LimitGroup>({ limit: count(), windowMs: durationAbove0, name: anything }, ['limit', 'windowMs']);
const queueBound = numberFrom(0);
const queueBounds = eachByName(queueBound);

const schedulerRules: OptionRules<SchedulerOptions> = {
  limits: eachByName(rateLimit),
  urgentShare: (value) => (typeof value === 'number' && value >= 0 && value < 1 ? undefined : `${shown(value)} must be from 0 to below 1`),
  maxQueued: (value, where) => (typeof value === 'object' ? queueBounds(value, where) : queueBound(value, where)),
  lateArrivalMs: durationFrom0,
  startTaken: trueOrFalse,
  redis: withMethods('what shareOverRedis() of exchange-rx/redis returns', 'start'),
};

const acquireRules: OptionRules<AcquireOptions> = {
  endpoint: anything,
  priority: oneOf(...priorities),
  expiresInMs: durationFrom0,
  inFlight: (value) => (value instanceof InFlight ? undefined : 'must be an InFlight'),
};

/** Throws {@link RequestError} for options that cannot work. */
export function checkOptions(options: SchedulerOptions): void {
  checkByRules('createScheduler', options, schedulerRules);
}

/** Throws {@link RequestError} for a group whose limit is none. */
export function checkGroup({ name, limit, windowMs }: LimitGroup): void {
  checkArgument(name, 'group', { limit, windowMs }, rateLimit);
}

/** Throws {@link RequestError} for what a call asks its permit with. */
export function checkAcquire(endpoint: string, options: AcquireOptions): void {
  checkByRules(endpoint, options, acquireRules);
}
