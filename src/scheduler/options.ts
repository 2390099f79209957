// The options of a scheduler and of a request for a permit, and their checks: options that cannot work are refused when
// the scheduler is made, an invalid rate limit before its first permit.
import type { LimitWindow, Priority, RateLimit } from '../endpoint/index.js';
import {
  anything,
  count,
  durationAbove0,
  durationFrom0,
  eachByName,
  maxTimerMs,
  numberFrom,
  oneOf,
  optionsOf,
  parse,
  RequestError,
  rule,
  suggestName,
  unquoted,
  withMethods,
  type RequestIssue,
} from '../errors/index.js';
import { InFlight } from './in-flight.js';
import type { SharedLimits } from './sharing.js';

/** Limits that replace the endpoints' own, by name: `{ public: { limit: 600, windowMs: 10_000 } }`. */
export type LimitOverrides = Readonly<Record<string, LimitWindow>>;

/** Options of {@link createScheduler}. */
export interface SchedulerOptions {
  /**
   * Limits that replace the endpoints' own, by the name of the rate limit. A client that is given the scheduler refuses
   * names that none of its endpoints' rate limits has.
   *
   * @default {}
   */
  readonly limits?: LimitOverrides;
  /**
   * The share of each limit that is reserved for urgent requests, from 0 to below 1. A limit below `1 / urgentShare`
   * has no reserve.
   *
   * @default 0.02
   */
  readonly urgentShare?: number;
  /**
   * How many requests may wait for a permit of one rate limit, 0 or more. One more fails with {@link QueueFullError}.
   * Only requests that are at least as urgent count against a request.
   *
   * @default 100000
   */
  readonly maxQueued?: number;
  /**
   * How late a request may still arrive at the exchange after the client gave up on it, milliseconds, 0 or more. The
   * default is twice the ±5 s in which the exchange accepts a nonce.
   *
   * @default 10000
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

/** Most urgent first. */
export const priorities: readonly Priority[] = ['urgent', 'normal'];

/** A rate limit may be given in place of the limit alone. */
const rateLimitRule = optionsOf<LimitWindow & Partial<RateLimit>>(
  { limit: count(), windowMs: durationAbove0, name: anything(), published: anything() },
  ['limit', 'windowMs'],
);

const schedulerOptions = optionsOf<SchedulerOptions>({
  limits: eachByName(rateLimitRule),
  urgentShare: rule((value) => typeof value === 'number' && value >= 0 && value < 1, 'must be from 0 to below 1'),
  maxQueued: numberFrom(0),
  lateArrivalMs: durationFrom0,
  redis: withMethods('what shareOverRedis() of exchange-rx/redis returns', 'start'),
});

const acquireOptions = optionsOf<AcquireOptions>({
  endpoint: anything(),
  priority: oneOf(...priorities),
  maxWaitMs: durationFrom0,
  inFlight: unquoted((value) => value instanceof InFlight, 'must be an InFlight'),
});

const acquireOptionNames: ReadonlySet<string> = new Set(['endpoint', 'priority', 'maxWaitMs', 'inFlight']);

/** The options as plain data; throws {@link RequestError} for invalid ones. */
export function checkOptions(options: SchedulerOptions): SchedulerOptions {
  return parse('createScheduler', schedulerOptions, options);
}

/** Throws {@link RequestError} for limits by another name than these. */
export function checkNamesOf(where: string, limits: LimitOverrides, known: readonly string[]): void {
  refuse(
    where,
    Object.keys(limits)
      .filter((name) => !known.includes(name))
      .map((name) => ({ field: `limits.${name}`, message: `is not a rate limit${suggestName(name, known)}` })),
  );
}

/** Throws {@link RequestError} for invalid options of a request for a permit. Almost all are valid: they are parsed only when not. */
export function checkAcquire(endpoint: string, options: AcquireOptions): void {
  const { priority, maxWaitMs, inFlight } = options;
  const isValid =
    Object.keys(options).every((name) => acquireOptionNames.has(name)) &&
    (priority === undefined || priorities.includes(priority)) &&
    (maxWaitMs === undefined || (typeof maxWaitMs === 'number' && maxWaitMs >= 0 && maxWaitMs <= maxTimerMs)) &&
    (inFlight === undefined || inFlight instanceof InFlight);
  if (!isValid) parse(endpoint, acquireOptions, options);
}

/** Throws {@link RequestError} for an invalid limit or window. */
export function checkRateLimit({ name, limit, windowMs }: RateLimit): void {
  parse(name, rateLimitRule, { limit, windowMs }, 'rateLimit');
}

/** The rate limit that a name stands for, and where it is defined. */
export interface RateLimitDefinition {
  readonly rateLimit: RateLimit;
  /** The endpoint that used it first, or where it is listed. */
  readonly definedBy: string;
}

/** Throws {@link RequestError} for two different rate limits of one name: one of them would be exceeded. */
export function checkSameLimit(endpoint: string, rateLimit: RateLimit, definition: RateLimitDefinition): void {
  const { rateLimit: first, definedBy } = definition;
  if (rateLimit === first || isSameLimit(rateLimit, first)) return;
  const [own, other] = [describeLimit(rateLimit), describeLimit(first)];
  const message = `"${rateLimit.name}" is ${own} here but ${other} in ${definedBy}: use another name for this rate limit`;
  refuse(endpoint, [{ field: 'rateLimit', message }]);
}

/** The limit of a name, which may be of an endpoint of the user's own. */
export function overrideOf(limits: LimitOverrides, name: string): LimitWindow | undefined {
  return Object.entries(limits).find(([listed]) => listed === name)?.[1];
}

/** A limit as messages say it. */
export function describeLimit({ limit, windowMs }: LimitWindow): string {
  return `${limit} requests / ${windowMs} ms`;
}

/** Whether two limits are the same. */
export function isSameLimit(one: LimitWindow, other: LimitWindow): boolean {
  return one.limit === other.limit && one.windowMs === other.windowMs;
}

function refuse(endpoint: string, issues: readonly RequestIssue[]): void {
  if (issues.length > 0) throw new RequestError(endpoint, issues);
}
