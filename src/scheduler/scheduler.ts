// Permits: no request is sent without one, and the exchange's limit is the number of them.
import { Observable, Subject } from 'rxjs';
import {
  checkAcquire,
  checkGroup,
  checkGroupName,
  checkOptions,
  checkSameGroup,
  type GroupDefinition,
} from './check-options.js';
import type { SchedulerEvent } from './events.js';
import { InFlight } from './in-flight.js';
import { isRateLimitName, rateLimits, type RateLimit, type RateLimitName, type LimitOverrides } from './rate-limits.js';
import { RateLimiter, type RateLimiterTerms } from './rate-limiter.js';
import type { Permit } from './permits-in-use.js';
import { localSource } from './permit-source.js';
import type { SharedLimits } from './limit-sharing.js';
import { usageStream, type RateLimitUsage } from './usage.js';
import type { Priority } from './waiting-line.js';

/** What a request asks for its permit with. */
export interface AcquireOptions {
  /** Name of the endpoint, for errors. Default: the group's name. */
  readonly endpoint?: string;
  /** Default `normal`. */
  readonly priority?: Priority;
  /** How long it is worth waiting, milliseconds, 0 or more: then {@link QueueTimeoutError}. Default: for ever. */
  readonly maxWaitMs?: number;
  /**
   * The client's requests on the wire: a permit is granted only when there is room for one more. Default: there is
   * always room; of a client's own `scheduler`, the client's requests.
   */
  readonly inFlight?: InFlight;
}

/** Grants permits: at most a group's limit of them in any window, as the exchange counts it. */
export interface Scheduler {
  /**
   * Asks for a permit of the group at subscription, emits it and completes. When one is in hand, that is in the same
   * tick. Unsubscribing before leaves the line. Fails with {@link QueueFullError} or {@link QueueTimeoutError}, with
   * {@link RequestError} for bad arguments, and for a group whose name another one has that differs in its limit.
   *
   * Who gives a permit back as `unsent` in the tick in which it is granted, and asks for another at that moment, keeps
   * its turn.
   */
  acquire(group: RateLimit, options?: AcquireOptions): Observable<Permit>;
  /**
   * How much of each limit that was used so far is in use: now, and twice a second. Shared and cheap: leave it on. It
   * does not keep the process alive.
   */
  readonly usage$: Observable<readonly RateLimitUsage[]>;
  /** What happens to the limits. Hot. */
  readonly events$: Observable<SchedulerEvent>;
  /**
   * Opens a group that a 429 closed, slowly, as if its time had passed; without a name, all of them. For when you know
   * better than the exchange's `Retry-After`. Other processes that share the limits are not told. Throws
   * {@link RequestError} for a name of no group.
   */
  endCoolDown(group?: string): void;
}

/** Options of {@link createScheduler}. */
export interface SchedulerOptions {
  /** Limits that replace the default ones, by group. A name of no group is refused. */
  readonly limits?: LimitOverrides;
  /** The share of each limit that only `urgent` requests may use, from 0 to below 1. Default 0.02. */
  readonly urgentShare?: number;
  /**
   * How many requests may wait for a permit of a group, 0 or more, for each group or by its name; one more fails with
   * {@link QueueFullError}. A request is refused for those that are as urgent as it, or more. Default 100000.
   */
  readonly maxQueued?: number | Readonly<Partial<Record<RateLimitName, number>>>;
  /**
   * How late a request may still arrive after its sender gave up on it, milliseconds, 0 or more. Default 10000: twice
   * the ±5 s in which the exchange accepts a nonce.
   */
  readonly lateArrivalMs?: number;
  /**
   * The longest that a 429 closes its group for, milliseconds, 0 or more, whatever `Retry-After` says. Default: six
   * windows of the group. Meanwhile one urgent request is sent in each window; an answer to it opens the group.
   */
  readonly maxCoolDownMs?: number;
  /**
   * True: start as if every permit had just been used. For a program that may have been restarted within a window: it
   * waits for a window and `lateArrivalMs`, and the limits hold across the restart. Default false. Not needed with
   * `redis`, which remembers.
   */
  readonly assumeLimitUsed?: boolean;
  /**
   * Shares the limits with the other processes behind the same address: `shareOverRedis({ url })` of
   * `exchange-rx/redis`.
   */
  readonly redis?: SharedLimits;
}

/** How to give a scheduler other limits. */
const changes = new WeakMap<Scheduler, (limits: LimitOverrides) => boolean>();

/**
 * Gives the scheduler other limits for all who use it; false, and nothing changes, while a request waits, or one that
 * was sent may still be counted, or a 429 is remembered.
 */
export function changeLimits(scheduler: Scheduler, limits: LimitOverrides): boolean {
  return changes.get(scheduler)?.(limits) ?? false;
}

/** A group that was used. */
interface OpenGroup {
  readonly permits: RateLimiter;
  readonly definition: GroupDefinition;
}

const defaultMaxQueued = 100_000;
/** A proxy that asks to wait for a day must not keep cancels back for a day. */
const defaultCoolDownWindows = 6;

/**
 * Makes a scheduler, for clients that are to have other terms than the one that clients of an address share by default.
 * Limits are counted by IP address: give it to all clients of the process. Throws {@link RequestError} for bad options.
 *
 * @example
 * ```ts
 * import { createExchange, createScheduler } from 'exchange-rx';
 *
 * const scheduler = createScheduler({ urgentShare: 0.05, maxQueued: { public: 100 } });
 * const exchange = createExchange({ baseUrl: 'https://exchange.example', scheduler });
 * scheduler.usage$.subscribe((groups) => console.table(groups));
 * ```
 */
export function createScheduler(options: SchedulerOptions = {}): Scheduler {
  checkOptions(options);
  let { limits = {} } = options;
  const {
    urgentShare = 0.02,
    maxQueued = {},
    lateArrivalMs = 10_000,
    maxCoolDownMs,
    assumeLimitUsed = false,
    redis,
  } = options;
  const groups = new Map<string, OpenGroup>();
  const events = new Subject<SchedulerEvent>();
  const unbounded = new InFlight();
  let arrivals = 0;
  const report = (event: SchedulerEvent) => {
    events.next(event);
  };
  const shared = redis?.start(report);

  function termsOf(group: RateLimit): RateLimiterTerms {
    const { name } = group;
    const { limit, windowMs } = (isRateLimitName(name) ? limits[name] : undefined) ?? group;
    const bound = typeof maxQueued === 'number' || !isRateLimitName(name) ? maxQueued : maxQueued[name];
    return {
      name,
      limit,
      windowMs,
      reserved: Math.floor(limit * urgentShare),
      lateArrivalMs,
      maxQueued: typeof bound === 'number' ? bound : defaultMaxQueued,
      maxCoolDownMs: maxCoolDownMs ?? defaultCoolDownWindows * windowMs,
    };
  }

  function groupOf(group: RateLimit, endpoint: string): RateLimiter {
    const { name } = group;
    const known = groups.get(name);
    const definition = known?.definition ?? definitionOf(group, endpoint);
    checkSameGroup(endpoint, group, definition);
    if (known !== undefined) return known.permits;

    checkGroup(group);
    const onCoolDown = (coolDownMs: number) => {
      report({ type: 'limit', rateLimit: name, coolDownMs });
    };
    const permits = new RateLimiter(termsOf(group), onCoolDown, scheduler);
    groups.set(name, { permits, definition });
    if (shared === undefined) useLocal(permits);
    else shared.add(permits);
    return permits;
  }

  /** What the package lists outranks who comes first. */
  function definitionOf(group: RateLimit, endpoint: string): GroupDefinition {
    const { name } = group;
    return isRateLimitName(name) ? { group: rateLimits[name], of: 'rateLimits' } : { group, of: endpoint };
  }

  function useLocal(group: RateLimiter): void {
    const pump = () => {
      group.pump();
    };
    const source = localSource(group.terms, pump, assumeLimitUsed);
    if (assumeLimitUsed) group.assumeSent(source);
    group.use(source);
  }

  const scheduler: Scheduler = {
    acquire(group, options = {}) {
      return new Observable((subscriber) => {
        checkAcquire(options.endpoint ?? group.name, options);
        const { endpoint = group.name, priority = 'normal', maxWaitMs, inFlight: client = unbounded } = options;
        const permits = groupOf(group, endpoint);
        arrivals += 1;
        return permits.join({ endpoint, priority, arrival: arrivals, maxWaitMs, client, subscriber });
      });
    },
    usage$: usageStream(() => [...groups.values()].map(({ permits }) => permits.usage())),
    events$: events.asObservable(),
    endCoolDown(name) {
      if (name !== undefined) checkGroupName('endCoolDown', name, groups.has(name));
      for (const [opened, { permits }] of groups) if (name === undefined || name === opened) permits.endCoolDown();
    },
  };
  changes.set(scheduler, (others) => {
    if (![...groups.values()].every(({ permits }) => permits.isIdle)) return false;
    limits = others;
    groups.clear();
    return true;
  });
  return scheduler;
}
