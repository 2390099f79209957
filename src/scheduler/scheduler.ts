// The scheduler: one rate limiter for each rate limit that is used. No request is sent without a permit.
import { Observable, ReplaySubject, share, Subject } from 'rxjs';
import type { RateLimit } from '../endpoint/index.js';
import { parse, RequestError } from '../errors/index.js';
import { Dispatcher } from './dispatcher.js';
import { InFlight } from './in-flight.js';
import {
  checkAcquire,
  checkNames,
  checkRateLimit,
  describeLimit,
  isSameLimit,
  limitOf,
  schedulerOptions,
  type AcquireOptions,
  type SchedulerOptions,
  type SharingEvent,
} from './options.js';
import { RateLimiter, type Permit, type RateLimitUsage } from './rate-limiter.js';

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
  /**
   * Adds definitions of rate limits: a request that brings another limit by one of their names fails. Throws
   * {@link RequestError} when the option `limits` has a name that is not defined.
   *
   * @internal
   */
  defineRateLimits?(rateLimits: readonly RateLimit[]): void;
}

const defaultMaxQueued = 100_000;
/** Twice the ±5 s in which the exchange accepts a nonce. */
const defaultLateArrivalMs = 10_000;
const usageEveryMs = 500;

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
 * const scheduler = createScheduler({ maxQueued: 100 });
 * const exchange = createExchange({ baseUrl: 'https://exchange.example', scheduler });
 * scheduler.usage$.subscribe((usage) => console.table(usage));
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function createScheduler(options: SchedulerOptions = {}): Scheduler {
  const {
    limits = {},
    maxQueued = defaultMaxQueued,
    lateArrivalMs = defaultLateArrivalMs,
    redis,
  } = parse('createScheduler', schedulerOptions, options);
  const used = new Map<string, RateLimiter>();
  const definitions = new Map<string, RateLimit>();
  /** By what requests bring. It is checked once. */
  const ways = new WeakMap<object, Way>();
  /** Each set of rate limiters as one list, by their names. */
  const lists = new Map<string, readonly RateLimiter[]>();
  const events = new Subject<SchedulerEvent>();
  const unbounded = new InFlight();
  const dispatcher = new Dispatcher((limiter) => {
    events.next({ type: 'limit', rateLimit: limiter.terms.name, coolDownMs: Math.ceil(limiter.coolDownMs()) });
  });
  const sharing = redis?.start((event) => {
    events.next(event);
  });

  function limiterOf(rateLimit: RateLimit, endpoint: string): RateLimiter {
    const { name } = rateLimit;
    const defined = definitions.get(name) ?? rateLimit;
    // One of two different rate limits would be exceeded.
    if (!isSameLimit(rateLimit, defined)) {
      const limitsOfBoth = `${describeLimit(rateLimit)} here but ${describeLimit(defined)} in another endpoint`;
      const message = `"${name}" is ${limitsOfBoth}: use another name for this rate limit`;
      throw new RequestError(endpoint, [{ field: 'rateLimit', message }]);
    }
    const known = used.get(name);
    if (known !== undefined) return known;
    checkRateLimit(rateLimit);
    const { limit, windowMs } = limitOf(rateLimit, limits);
    const terms = { name, limit, windowMs, lateArrivalMs, maxQueued };
    const onAvailable = (available: RateLimiter) => {
      dispatcher.pump([available]);
    };
    const limiter = sharing?.limiter(terms, onAvailable) ?? new RateLimiter(terms, onAvailable);
    used.set(name, limiter);
    definitions.set(name, defined);
    return limiter;
  }

  /**
   * The limiters of a request, narrowest first. A rate limit that is listed twice counts once.
   *
   * @param endpoint its own limit has its name: the endpoint always counts against the others, too
   * @param name of the request, for errors
   */
  function limitersOf(
    rateLimit: RateLimit | readonly RateLimit[],
    endpoint: string | undefined,
    name: string,
  ): readonly RateLimiter[] {
    const known = ways.get(rateLimit);
    if (known !== undefined && known.endpoint === endpoint) return known.limiters;
    const listed = isList(rateLimit) ? rateLimit : [rateLimit];
    const counted = listed.filter((one) => one.name !== endpoint || !isImplied(one, listed));
    const found = new Set(counted.map((one) => limiterOf(one, name)));
    // In the same order for all requests: those that are equally narrow in the order in which they were used first.
    const sorted = [...used.values()].filter((limiter) => found.has(limiter));
    sorted.sort(({ terms: one }, { terms: other }) => one.limit / one.windowMs - other.limit / other.windowMs);
    const key = JSON.stringify(sorted.map(({ terms }) => terms.name));
    const limiters = lists.get(key) ?? sorted;
    lists.set(key, limiters);
    ways.set(rateLimit, { endpoint, limiters });
    return limiters;
  }

  /** All its requests count in another limit that is as tight: permits of its own would be taken for nothing. */
  function isImplied(own: RateLimit, rateLimits: readonly RateLimit[]): boolean {
    const { limit, windowMs } = limitOf(own, limits);
    return rateLimits.some((other) => {
      if (other.name === own.name) return false;
      const all = limitOf(other, limits);
      return Math.ceil(windowMs / all.windowMs) * all.limit <= limit;
    });
  }

  return {
    acquire(rateLimit, acquireOptions = {}) {
      return new Observable((subscriber) => {
        const [first] = isList(rateLimit) ? rateLimit : [rateLimit];
        const name = acquireOptions.endpoint ?? first?.name ?? 'acquire';
        // A call of a client has checked its options.
        if (acquireOptions.inFlight === undefined) checkAcquire(name, acquireOptions);
        const { priority = 'normal', maxWaitMs, inFlight = unbounded } = acquireOptions;
        const limiters = limitersOf(rateLimit, acquireOptions.endpoint, name);
        return dispatcher.acquire({ limiters, endpoint: name, priority, maxWaitMs, client: inFlight }, subscriber);
      });
    },
    usage$: new Observable<readonly RateLimitUsage[]>((subscriber) => {
      const emit = () => {
        subscriber.next([...used.values()].map((limiter) => limiter.usage()));
      };
      emit();
      const timer = setInterval(emit, usageEveryMs).unref();
      return () => {
        clearInterval(timer);
      };
    }).pipe(share({ connector: () => new ReplaySubject(1) })),
    events$: events.asObservable(),
    defineRateLimits(rateLimits) {
      // They come before those of an endpoint that was called first.
      for (const rateLimit of rateLimits) definitions.set(rateLimit.name, rateLimit);
      checkNames('createScheduler', limits, rateLimits);
    },
  };
}

function isList(rateLimit: RateLimit | readonly RateLimit[]): rateLimit is readonly RateLimit[] {
  return Array.isArray(rateLimit);
}
