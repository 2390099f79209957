// The scheduler: one rate limiter for each rate limit that is used. No request is sent without a permit.
import type { RateLimit } from '../endpoint/index.js';
import { Observable, Subject } from 'rxjs';
import {
  checkAcquire,
  checkNamesOf,
  checkOptions,
  checkRateLimit,
  checkSameLimit,
  overrideOf,
  type AcquireOptions,
  type LimitOverrides,
  type RateLimitDefinition,
  type SchedulerOptions,
} from './options.js';
import { RequestError } from '../errors/index.js';
import { Dispatcher } from './dispatcher.js';
import { InFlight } from './in-flight.js';
import { localSource } from './leases.js';
import type { Permit, PermitTerms } from './permit.js';
import { RateLimiter } from './rate-limiter.js';
import type { SharingEvent } from './sharing.js';
import { usageStream, type RateLimitUsage } from './usage.js';

/**
 * A request had a permit and was responded to with 429 all the same: another program sends from the same IP address, or
 * the real limit is lower than the configured one.
 */
export interface LimitEvent {
  /** Discriminates the events. */
  readonly type: 'limit';
  /** Name of the rate limit. Its cool-down has started; a ramp-up follows. */
  readonly rateLimit: string;
  /** Length of the cool-down, milliseconds. */
  readonly coolDownMs: number;
}

/** What a scheduler reports. */
export type SchedulerEvent = LimitEvent | SharingEvent;

/** Grants permits: no window, as the exchange counts it, holds more requests than the limit. */
export interface Scheduler {
  /**
   * Requests a permit at subscription, emits it and completes. A permit that is free is emitted in the same tick.
   * Unsubscribing takes the request out of the queue.
   *
   * A request that counts against several rate limits gets one permit for all of them, in its place by arrival.
   *
   * A subscriber that releases its permit as `unsent` while it is emitted, and requests another one at that moment,
   * keeps its turn.
   *
   * The observable fails with:
   * - {@link QueueFullError}: `maxQueued` requests wait.
   * - {@link QueueTimeoutError}: the request waited for `maxWaitMs`.
   * - {@link RequestError}: an argument is invalid, or the name belongs to a different rate limit.
   */
  acquire(rateLimit: RateLimit | readonly RateLimit[], options?: AcquireOptions): Observable<Permit>;
  /**
   * The usage of each rate limit that was used: at subscription, then twice a second. Shared and cheap; it does not
   * keep the process alive.
   */
  readonly usage$: Observable<readonly RateLimitUsage[]>;
  /** Cool-downs, and the state of shared limits. Hot. */
  readonly events$: Observable<SchedulerEvent>;
}

/** A scheduler whose limits can be replaced. */
export interface AdjustableScheduler extends Scheduler {
  /**
   * Replaces the limits for all users of the scheduler. Returns false, and changes nothing, while a request waits, a
   * request that was sent may still count, or a cool-down or ramp-up is under way.
   */
  changeLimits(limits: LimitOverrides): boolean;
  /**
   * Adds definitions of rate limits: a request that brings another limit by one of their names fails. Throws
   * {@link RequestError} when the option `limits` has a name that is not defined.
   */
  defineRateLimits(rateLimits: readonly RateLimit[]): void;
}

/** Gives the scheduler the definitions of a client's rate limits. A scheduler of the user's own takes none. */
export function defineRateLimits(scheduler: Scheduler | AdjustableScheduler, rateLimits: readonly RateLimit[]): void {
  if ('defineRateLimits' in scheduler) scheduler.defineRateLimits(rateLimits);
}

/** The rate limiters of the requests of an endpoint. */
interface Way {
  readonly endpoint: string | undefined;
  readonly limiters: readonly RateLimiter[];
}

/**
 * Makes a scheduler, for clients that need other terms than the scheduler which the clients of an address share by
 * default. The exchange counts requests by IP address: pass the scheduler to all clients of the process.
 *
 * @example
 * ```ts
 * import { createExchange, createScheduler } from 'exchange-rx';
 *
 * const scheduler = createScheduler({ urgentShare: 0.05, maxQueued: 100 });
 * const exchange = createExchange({ baseUrl: 'https://exchange.example', scheduler });
 * scheduler.usage$.subscribe((usage) => console.table(usage));
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function createScheduler(options: SchedulerOptions = {}): Scheduler {
  return createAdjustableScheduler(options);
}

/** As {@link createScheduler}, for a scheduler that is shared by clients with different `limits`. */
export function createAdjustableScheduler(options: SchedulerOptions): AdjustableScheduler {
  checkOptions(options);
  let { limits = {} } = options;
  const { urgentShare = 0.02, maxQueued = 100_000, lateArrivalMs = 10_000, redis } = options;
  const used = new Map<string, RateLimiter>();
  const definitions = new Map<string, RateLimitDefinition>();
  /** By what requests bring. It is checked once. */
  let ways = new WeakMap<object, Way>();
  /** Each set of rate limiters as one list, by their names. */
  const lists = new Map<string, readonly RateLimiter[]>();
  const events = new Subject<SchedulerEvent>();
  const unbounded = new InFlight();
  const dispatcher = new Dispatcher();
  const onAvailable = (limiter: RateLimiter) => {
    dispatcher.pump([limiter]);
  };
  const report = events.next.bind(events);
  const sharing = redis?.start(report);

  function termsOf(rateLimit: RateLimit): PermitTerms {
    const { name } = rateLimit;
    const { limit, windowMs } = overrideOf(limits, name) ?? rateLimit;
    return { name, limit, windowMs, reserved: Math.floor(limit * urgentShare), lateArrivalMs, maxQueued };
  }

  function limiterOf(rateLimit: RateLimit, endpoint: string): RateLimiter {
    const { name } = rateLimit;
    const known = used.get(name);
    const definition = definitions.get(name) ?? { rateLimit, definedBy: endpoint };
    checkSameLimit(endpoint, rateLimit, definition);
    if (known !== undefined) return known;
    checkRateLimit(rateLimit);
    const onCoolDown = (coolDownMs: number) => {
      report({ type: 'limit', rateLimit: name, coolDownMs });
    };
    const limiter = new RateLimiter(termsOf(rateLimit), { onAvailable, onCoolDown });
    used.set(name, limiter);
    definitions.set(name, definition);
    if (sharing !== undefined) sharing.add(limiter);
    else limiter.use(localSource(limiter.terms, limiter.pump.bind(limiter)));
    return limiter;
  }

  /**
   * The limiters of a request, narrowest first. A rate limit that is listed twice counts once.
   *
   * @param endpoint its own limit has its name: the endpoint always counts against the others, too
   */
  function limitersOf(
    rateLimit: RateLimit | readonly RateLimit[],
    endpoint: string | undefined,
  ): readonly RateLimiter[] {
    const known = ways.get(rateLimit);
    if (known !== undefined && (known.endpoint === endpoint || !isList(rateLimit))) return known.limiters;
    const listed = isList(rateLimit) ? rateLimit : [rateLimit];
    const counted = listed.filter((one) => one.name !== endpoint || !isImplied(one, listed));
    const found = new Set(counted.map((one) => limiterOf(one, endpoint ?? listed[0]?.name ?? '')));
    if (found.size === 0)
      throw new RequestError(endpoint ?? 'acquire', [
        { field: 'rateLimit', message: 'must name at least one rate limit' },
      ]);
    // In the same order for all requests: those that are equally narrow in the order in which they were used first.
    const sorted = [...used.values()].filter((limiter) => found.has(limiter));
    sorted.sort(({ terms: one }, { terms: other }) => one.limit / one.windowMs - other.limit / other.windowMs);
    const key = JSON.stringify(sorted.map(({ terms }) => terms.name));
    const limiters = lists.get(key) ?? sorted;
    lists.set(key, limiters);
    ways.set(rateLimit, { endpoint, limiters });
    return limiters;
  }

  /**
   * Whether the endpoint's own limit holds anyway: all its requests count in another one that is as tight. Its permits
   * would be taken for nothing.
   */
  function isImplied(own: RateLimit, rateLimits: readonly RateLimit[]): boolean {
    const { limit, windowMs } = overrideOf(limits, own.name) ?? own;
    return rateLimits.some((other) => {
      if (other.name === own.name) return false;
      const all = overrideOf(limits, other.name) ?? other;
      return Math.ceil(windowMs / all.windowMs) * all.limit <= limit;
    });
  }

  return {
    acquire(rateLimit, acquireOptions = {}) {
      return new Observable((subscriber) => {
        const [first] = isList(rateLimit) ? rateLimit : [rateLimit];
        const name = acquireOptions.endpoint ?? first?.name ?? 'acquire';
        checkAcquire(name, acquireOptions);
        const { priority = 'normal', maxWaitMs, inFlight = unbounded } = acquireOptions;
        const limiters = limitersOf(rateLimit, acquireOptions.endpoint);
        return dispatcher.acquire({ limiters, endpoint: name, priority, maxWaitMs, client: inFlight }, subscriber);
      });
    },
    usage$: usageStream(() => [...used.values()].map((limiter) => limiter.usage())),
    events$: events.asObservable(),
    changeLimits(others) {
      if (![...used.values()].every((limiter) => limiter.isIdle)) return false;
      limits = others;
      used.clear();
      lists.clear();
      ways = new WeakMap();
      return true;
    },
    defineRateLimits(rateLimits) {
      // They come before those of an endpoint that was called first.
      for (const rateLimit of rateLimits) definitions.set(rateLimit.name, { rateLimit, definedBy: 'exchange-rx' });
      checkNamesOf('createScheduler', limits, [...definitions.keys()]);
    },
  };
}

function isList(rateLimit: RateLimit | readonly RateLimit[]): rateLimit is readonly RateLimit[] {
  return Array.isArray(rateLimit);
}
