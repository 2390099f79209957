// The options of a scheduler and of a request for a permit, and their checks: options that cannot work are refused when
// the scheduler is made, an invalid rate limit before its first permit. What implements {@link SharedLimits}, such as
// the Redis client, is loaded by the programs that share limits.
import type { LimitWindow, Priority, RateLimit } from '../endpoint/index.js';
import {
  anything,
  count,
  durationAbove0,
  durationFrom0,
  eachByName,
  numberFrom,
  oneOf,
  optionsOf,
  parse,
  RequestError,
  suggestName,
  withMethods,
} from '../errors/index.js';
import type { InFlight } from './in-flight.js';
import type { PermitTerms, RateLimiter } from './rate-limiter.js';

/** Limits that replace the endpoints' own, by name. */
export type LimitOverrides = Readonly<Record<string, LimitWindow>>;

/** Options of {@link createScheduler}. */
export interface SchedulerOptions {
  /**
   * Limits that replace the endpoints' own, by the name of the rate limit: `{ public: { limit: 600, windowMs: 10_000 } }`.
   * A client that is given the scheduler refuses names that none of its endpoints' rate limits has.
   *
   * @default {}
   */
  readonly limits?: Readonly<Record<string, LimitWindow>>;
  /**
   * How many requests may wait for a permit of one rate limit, 0 or more. One more fails with {@link QueueFullError}.
   * Only requests that are at least as urgent count against a request.
   *
   * @default 100000
   */
  readonly maxQueued?: number;
  /**
   * How late a request may still arrive at the exchange after the client gave up on it, milliseconds. Tests that run in
   * real time cannot wait for the default: twice the ±5 s in which the exchange accepts a nonce.
   *
   * @internal
   */
  readonly lateArrivalMs?: number;
  /**
   * Shares the limits with the other processes behind the same IP address: `shareOverRedis({ url })` of
   * `exchange-rx/redis`.
   *
   * @default none: the limits are this process's alone
   */
  readonly redis?: SharedLimits;
}

/**
 * The state of limits that are shared over Redis, reported when it or its reason changes:
 * - `joined`: permits come from Redis. The reason names the limits that another process has lowered.
 * - `waiting`: Redis is connected, but permits that were granted before the connection may still count.
 * - `lost`: Redis is not available, or its data cannot be relied on. No permit is granted.
 * - `alone`: as `lost`, but this process goes on with its share of each limit (`shareWhenDown`).
 */
export interface SharingEvent {
  /** Discriminates the events. */
  readonly type: 'sharing';
  /** The new state: see above. */
  readonly state: 'joined' | 'waiting' | 'lost' | 'alone';
  /** The reason, in words of this package: text from the server or the network is never quoted. */
  readonly reason: string;
}

/** Limits that several processes share: `shareOverRedis()` of `exchange-rx/redis`, for {@link createScheduler}. */
export interface SharedLimits {
  /** Processes that use the same name share their limits. */
  readonly name: string;
  /**
   * Starts to share, and reports each change of state. `limiter` makes a rate limiter, which calls `onAvailable` when there
   * may be permits to grant.
   *
   * @internal
   */
  start(report: (event: SharingEvent) => void): {
    readonly limiter: (terms: PermitTerms, onAvailable: (limiter: RateLimiter) => void) => RateLimiter;
  };
}

/** Options of {@link Scheduler.acquire}. */
export interface AcquireOptions {
  /**
   * Name of the endpoint, for errors.
   *
   * @default the name of the rate limit
   */
  readonly endpoint?: string;
  /**
   * Which requests go first.
   *
   * @default 'normal'
   */
  readonly priority?: Priority;
  /**
   * How long the request may wait, milliseconds, 0 or more: then it fails with {@link QueueTimeoutError}.
   *
   * @default no bound
   */
  readonly maxWaitMs?: number;
  /**
   * The requests of the client that are in flight: a permit is granted only when one more may be sent.
   *
   * @internal
   */
  readonly inFlight?: InFlight;
}

export const aPriority = oneOf<Priority>('urgent', 'normal');

/** A rate limit may be given in place of the limit alone. */
const aLimit = optionsOf<LimitWindow & Partial<RateLimit>>(
  { limit: count(), windowMs: durationAbove0, name: anything() },
  ['limit', 'windowMs'],
);

export const limitOverrides = eachByName<LimitWindow>(aLimit);

export const schedulerOptions = optionsOf<SchedulerOptions>({
  limits: limitOverrides,
  maxQueued: numberFrom(0),
  lateArrivalMs: durationFrom0,
  redis: withMethods('what shareOverRedis() of exchange-rx/redis returns', 'start'),
});

export function checkAcquire(endpoint: string, { priority, maxWaitMs }: AcquireOptions): void {
  if (priority !== undefined) parse(endpoint, aPriority, priority, 'priority');
  if (maxWaitMs !== undefined) parse(endpoint, durationFrom0, maxWaitMs, 'maxWaitMs');
}

export function checkRateLimit({ name, limit, windowMs }: RateLimit): void {
  parse(name, aLimit, { limit, windowMs }, 'rateLimit');
}

/** Throws {@link RequestError} for limits by another name than those of these rate limits. */
export function checkNames(where: string, limits: LimitOverrides, rateLimits: readonly RateLimit[]): void {
  const known = rateLimits.map(({ name }) => name);
  const unknown = Object.keys(limits).filter((name) => !known.includes(name));
  const issueOf = (name: string) => ({
    field: `limits.${name}`,
    message: `is not a rate limit${suggestName(name, known)}`,
  });
  if (unknown.length > 0) throw new RequestError(where, unknown.map(issueOf));
}

export function limitOf(rateLimit: RateLimit, limits: LimitOverrides): LimitWindow {
  return limits[rateLimit.name] ?? rateLimit;
}

export function describeLimit({ limit, windowMs }: LimitWindow): string {
  return `${limit} requests / ${windowMs} ms`;
}

export function isSameLimit(one: LimitWindow, other: LimitWindow): boolean {
  return one.limit === other.limit && one.windowMs === other.windowMs;
}
