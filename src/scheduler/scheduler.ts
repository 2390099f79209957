// Permits: no request is sent without one, and the exchange's limit is the number of them.
import { Observable, Subject } from 'rxjs';
import { checkAcquire, checkGroup, checkOptions } from './check-options.js';
import type { SchedulerEvent } from './events.js';
import { InFlight } from './in-flight.js';
import type { LimitGroup, LimitOverrides } from './limit-groups.js';
import { LimitedGroup, type GroupTerms } from './limited-group.js';
import type { Permit } from './permit.js';
import { localSource } from './permit-source.js';
import type { SharedLimits } from './limit-sharing.js';
import { usageStream, type GroupUsage } from './usage.js';
import type { Priority } from './waiting-line.js';

/** What a request asks for its permit with. */
export interface AcquireOptions {
  /** Name of the endpoint, for errors. Default: the group's name. */
  readonly endpoint?: string;
  /** Default `normal`. */
  readonly priority?: Priority;
  /** How long it is worth waiting, milliseconds, 0 or more: then {@link ExpiredError}. Default: for ever. */
  readonly expiresInMs?: number;
  /** The client's requests on the wire: a permit is granted only when there is room for one more. Default: there is always room. */
  readonly inFlight?: InFlight;
}

/** Grants permits: at most a group's limit of them in any window, as the exchange counts it. */
export interface Scheduler {
  /**
   * Asks for a permit of the group at subscription, emits it and completes. When one is in hand, that is in the same tick. Unsubscribing
   * before leaves the line. Fails with {@link QueueFullError} or {@link ExpiredError}, with {@link RequestError} for bad arguments.
   */
  acquire(group: LimitGroup, options?: AcquireOptions): Observable<Permit>;
  /**
   * How much of each limit that was used so far is in use: now, and twice a second. Shared and cheap: leave it on. It does not keep the
   * process alive.
   */
  readonly usage$: Observable<readonly GroupUsage[]>;
  /** What happens to the limits. Hot. */
  readonly events$: Observable<SchedulerEvent>;
}

/** Options of {@link createScheduler}. */
export interface SchedulerOptions {
  /** Limits that replace the default ones, by group. */
  readonly limits?: LimitOverrides;
  /** The share of each limit that only `urgent` requests may use, from 0 to below 1. Default 0.02. */
  readonly urgentShare?: number;
  /**
   * How many requests may wait for a permit of a group, 0 or more, for each group or by its name; one more fails with
   * {@link QueueFullError}. A request is refused for those that are as urgent as it, or more. Default 100000.
   */
  readonly maxQueued?: number | Readonly<Record<string, number>>;
  /**
   * How late a request may still arrive after its sender gave up on it, milliseconds, 0 or more. Default 10000: twice the ±5 s in which
   * the exchange accepts a nonce.
   */
  readonly lateArrivalMs?: number;
  /**
   * True: start as if every permit had just been used. For a program that may have been restarted within a window: it waits for a window
   * and `lateArrivalMs`, and the limits hold across the restart. Default false. Not needed with `redis`, which remembers.
   */
  readonly startTaken?: boolean;
  /** Shares the limits with the other processes behind the same address: `shareOverRedis({ url })` of `exchange-rx/redis`. */
  readonly redis?: SharedLimits;
}

const defaultMaxQueued = 100_000;

/**
 * Makes a scheduler. Limits are counted by address: give one scheduler to all clients of a process. Throws {@link RequestError} for bad
 * options.
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
  const { limits = {}, urgentShare = 0.02, maxQueued = {}, lateArrivalMs = 10_000, startTaken = false, redis } = options;
  const groups = new Map<string, LimitedGroup>();
  const events = new Subject<SchedulerEvent>();
  const unbounded = new InFlight();
  let arrivals = 0;
  const report = (event: SchedulerEvent) => {
    events.next(event);
  };
  const shared = redis?.start(report);

  function termsOf(group: LimitGroup): GroupTerms {
    const { name } = group;
    const { limit, windowMs } = limits[name] ?? group;
    const bound = typeof maxQueued === 'number' ? maxQueued : (maxQueued[name] ?? defaultMaxQueued);
    return { name, limit, windowMs, reserved: Math.floor(limit * urgentShare), lateArrivalMs, maxQueued: bound };
  }

  function open(group: LimitGroup): LimitedGroup {
    checkGroup(group);
    const opened = new LimitedGroup(termsOf(group), (closedForMs) => {
      report({ type: 'limit', group: group.name, closedForMs });
    });
    groups.set(group.name, opened);
    if (shared === undefined) useLocal(opened);
    else shared.add(opened);
    return opened;
  }

  function useLocal(group: LimitedGroup): void {
    const pump = () => {
      group.pump();
    };
    const source = localSource(group.terms, pump, startTaken);
    if (startTaken) group.assumeSent(source);
    group.use(source);
  }

  return {
    acquire(group, options = {}) {
      return new Observable((subscriber) => {
        checkAcquire(options.endpoint ?? group.name, options);
        const { endpoint = group.name, priority = 'normal', expiresInMs, inFlight: client = unbounded } = options;
        const opened = groups.get(group.name) ?? open(group);
        arrivals += 1;
        return opened.join({ endpoint, priority, arrival: arrivals, expiresInMs, client, subscriber });
      });
    },
    usage$: usageStream(() => [...groups.values()].map((group) => group.usage())),
    events$: events.asObservable(),
  };
}
