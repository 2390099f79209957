// One rate limit: how many permits can be used now, and when they return. A limit of N requests has N permits, and a
// permit is in use from before its request is sent until one window and a guard after the response: by then the exchange
// has forgotten the request, whatever the latency was.
import type { LimitWindow, Priority } from '../endpoint/index.js';
import { CoolDown, forgetMsOf } from './cool-down.js';
import { Leases } from './leases.js';

/** The right to send one request. */
export interface Permit {
  /**
   * Releases the permit: of all rate limits for which it was requested. Later calls do nothing. A permit that is
   * never released stays in use.
   *
   * @param retryAfterMs the exchange's `Retry-After` after a 429, milliseconds, 0 or more. Default: one window.
   */
  release(use: PermitUse, retryAfterMs?: number): void;
}

/**
 * The outcome of the request that a permit was used for:
 * - `unsent`: the request was not sent; the permit is free at once.
 * - `responded`: the exchange has counted the request, and forgets it one window later.
 * - `rate-limited`: as `responded`, but with status 429, which starts a cool-down.
 * - `unknown`: the request may still arrive; the permit is held for 10 s longer.
 */
export type PermitUse = 'unsent' | 'responded' | 'rate-limited' | 'unknown';

/** How much of a rate limit this process uses. */
export interface RateLimitUsage {
  /** Name of the rate limit. */
  readonly rateLimit: string;
  /** How many requests the exchange accepts in any window. */
  readonly limit: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
  /** Permits in use: their requests are in flight, or the exchange may still count them in its window. */
  readonly used: number;
  /**
   * Free permits. Of a shared limit: permits that no process uses, up to two seconds ago.
   */
  readonly free: number;
  /** Requests that wait for a permit, by priority. */
  readonly queued: Readonly<Record<Priority, number>>;
  /** When the cool-down after a 429 ends, Unix ms; `undefined` without a cool-down. */
  readonly coolDownUntil: number | undefined;
}

export interface PermitTerms extends LimitWindow {
  readonly name: string;
  /** How late a request may still arrive after the client gave up on it, milliseconds. */
  readonly lateArrivalMs: number;
  readonly maxQueued: number;
}

export interface TakenPermit {
  readonly limiter: RateLimiter;
  readonly priority: Priority;
  /** The request must be sent before this time, by `performance.now()`. */
  readonly usableUntil: number;
  /** The number of the probe, when the request is one. */
  readonly probe: number | undefined;
}

/** How many requests could use a permit of a rate limit now. */
export interface Demand {
  all: number;
  urgent: number;
}

/** The share of each limit that only urgent requests use: a limit below 50 reserves none. */
export const urgentShare = 0.02;
const noDemand: Demand = { all: 0, urgent: 0 };

export class RateLimiter {
  readonly terms: PermitTerms;
  readonly queued: Record<Priority, number> = { urgent: 0, normal: 0 };
  readonly #onAvailable: (limiter: RateLimiter) => void;
  readonly #leases: Leases;
  readonly #returns: Returns;
  readonly #coolDown: CoolDown;
  readonly #forgetMs: number;
  readonly #inUse: Record<Priority, number> = { urgent: 0, normal: 0 };

  constructor(terms: PermitTerms, onAvailable: (limiter: RateLimiter) => void) {
    this.terms = terms;
    this.#onAvailable = onAvailable;
    this.#coolDown = new CoolDown(terms);
    this.#forgetMs = forgetMsOf(terms.windowMs);
    this.#leases = new Leases(terms.limit, Math.floor(terms.limit * urgentShare), () => {
      this.pump();
    });
    this.#returns = new Returns(terms.windowMs, (slot) => {
      for (const [priority, count] of slot) this.#end(priority, count);
      this.pump();
    });
  }

  pump(): void {
    this.#onAvailable(this);
  }

  get hasQueued(): boolean {
    return this.queued.urgent + this.queued.normal > 0;
  }

  /** Whether more requests of at least this priority wait than may wait. */
  isFullFor(priority: Priority): boolean {
    const { urgent, normal } = this.queued;
    return urgent + (priority === 'urgent' ? 0 : normal) > this.terms.maxQueued;
  }

  /** Whether permits are granted, or will be as soon as one is free. */
  isOpen(isUrgent: boolean, now: number): boolean {
    return this.coolDownMs(now) === 0 || (isUrgent && this.#coolDown.canProbe(now));
  }

  /** For how long no permit is granted after a 429, milliseconds. */
  coolDownMs(now = performance.now()): number {
    return this.#coolDown.remainingMs(now);
  }

  get inUse(): number {
    return this.#inUse.urgent + this.#inUse.normal;
  }

  get urgentInUse(): number {
    return this.#inUse.urgent;
  }

  available(isUrgent: boolean, now: number): number {
    const kept = this.keptOf(this.terms.limit, isUrgent);
    const probes = isUrgent && this.#coolDown.canProbe(now) ? 1 : 0;
    return Math.min(this.#leases.available - kept, Math.max(this.#coolDown.maxInUse(now) - this.inUse, probes));
  }

  /** How many of this many permits are kept for urgent requests. */
  protected keptOf(permits: number, isUrgent: boolean): number {
    return isUrgent ? 0 : Math.max(0, Math.floor(permits * urgentShare) - this.#inUse.urgent);
  }

  take(priority: Priority, now: number): TakenPermit {
    const isProbe = this.inUse >= this.#coolDown.maxInUse(now);
    // An urgent request uses the permits that are kept for it last, so that they are there for the next one.
    const isSpare = priority === 'urgent' && this.#leases.available > this.keptOf(this.terms.limit, false);
    const part = isSpare ? 'normal' : priority;
    this.#leases.take();
    this.#inUse[part] += 1;
    const probe = isProbe ? this.#coolDown.startProbe(now) : undefined;
    return { limiter: this, priority: part, usableUntil: Number.POSITIVE_INFINITY, probe };
  }

  /** A permit that was not used is free at once. A 429 starts or extends a cool-down. */
  putBack({ priority, probe }: TakenPermit, use: PermitUse, retryAfterMs?: number): void {
    const now = performance.now();
    if (use === 'unsent') {
      if (probe !== undefined) this.#coolDown.cancelProbe(probe);
      this.#end(priority, 1, true);
      return;
    }
    this.#returns.after(this.#forgetMs + (use === 'unknown' ? this.terms.lateArrivalMs : 0), priority);
    if (use === 'responded' && probe !== undefined) this.#coolDown.onProbed(probe, now);
    if (use === 'rate-limited') this.#coolDown.start(now, retryAfterMs);
  }

  #end(priority: Priority, count: number, isUnused = false): void {
    this.#inUse[priority] -= count;
    this.#leases.putBack(count, isUnused);
  }

  /** Starts or extends a cool-down that another process has announced. */
  coolDown(ms: number): void {
    this.#coolDown.start(performance.now(), ms);
  }

  want(demand: Demand = noDemand, now = performance.now()): void {
    this.#leases.want(Math.min(demand.all, this.maxWanted(now)));
  }

  /** How many permits a cool-down allows to request: those that are free may exceed what a ramp-up allows now. */
  protected maxWanted(now: number): number {
    const isLimited = this.inUse >= this.#coolDown.maxInUse(now);
    return isLimited ? Number(this.#coolDown.canProbe(now)) : Number.POSITIVE_INFINITY;
  }

  /** Milliseconds until the cool-down, or the ramp-up after it, allows more; Infinity when neither is under way. */
  moreInMs(isUrgent: boolean, now: number): number {
    return this.#coolDown.moreInMs(now, isUrgent);
  }

  usage(): RateLimitUsage {
    const { name, limit, windowMs } = this.terms;
    const coolDownMs = this.coolDownMs();
    return {
      rateLimit: name,
      limit,
      windowMs,
      used: this.inUse,
      free: limit - this.inUse,
      queued: { ...this.queued },
      coolDownUntil: coolDownMs === 0 ? undefined : Math.ceil(Date.now() + coolDownMs),
    };
  }
}

/** A permit returns up to one slot late: the price of one timer per slot instead of one per permit. */
const slotsPerWindow = 200;
const maxSlotMs = 50;

/** The permits that return in one slot, by the priority of their requests. */
type Slot = Map<Priority, number>;

/** Returns permits when their time has come, and never before. */
export class Returns {
  readonly #slots = new Map<number, Slot>();
  readonly #slotMs: number;
  readonly #onReturn: (slot: ReadonlyMap<Priority, number>) => void;

  constructor(windowMs: number, onReturn: (slot: ReadonlyMap<Priority, number>) => void) {
    this.#slotMs = Math.min(maxSlotMs, windowMs / slotsPerWindow);
    this.#onReturn = onReturn;
  }

  /** Returns a permit after this time, at the end of the slot. */
  after(ms: number, priority: Priority): void {
    const index = Math.ceil((performance.now() + ms) / this.#slotMs);
    let slot = this.#slots.get(index);
    if (slot === undefined) {
      slot = new Map();
      this.#slots.set(index, slot);
      this.#wait(index, slot);
    }
    slot.set(priority, (slot.get(priority) ?? 0) + 1);
  }

  /** Does not keep the process alive. Timers fire up to a millisecond early, so each one checks the clock. */
  #wait(index: number, slot: Slot): void {
    const dueMs = index * this.#slotMs - performance.now();
    setTimeout(() => {
      if (performance.now() < index * this.#slotMs) {
        this.#wait(index, slot);
        return;
      }
      this.#slots.delete(index);
      this.#onReturn(slot);
    }, Math.ceil(dueMs)).unref();
  }
}
