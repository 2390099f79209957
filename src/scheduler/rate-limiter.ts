// One rate limit: how many permits can be used now, and when they return. A limit of N requests has N permits, and a
// permit is in use from before its request is sent until one window and a guard after the response: by then the exchange
// has forgotten the request, whatever the latency was.
import type { Priority } from '../endpoint/index.js';
import { CoolDown } from './cool-down.js';
import {
  forgetMsOf,
  type Demand,
  type Permits,
  type PermitSource,
  type PermitTerms,
  type PermitUse,
} from './permit.js';

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

/** A permit of one rate limit that is in use. */
export interface TakenPermit {
  readonly limiter: RateLimiter;
  readonly permits: Permits;
  /** The request must be sent before this time, by `performance.now()`. */
  readonly usableUntil: number;
  /** The number of the probe, when the request is one. */
  readonly probe: number | undefined;
}

const noDemand: Demand = { all: 0, urgent: 0 };

export class RateLimiter {
  readonly terms: PermitTerms;
  /** The requests that need this rate limit and wait. */
  readonly queued: Record<Priority, number> = { urgent: 0, normal: 0 };
  readonly #onAvailable: (limiter: RateLimiter) => void;
  readonly #returns: Returns<Permits>;
  readonly #coolDown: CoolDown;
  #source: PermitSource | undefined;
  #inUse = 0;

  /** @param onAvailable called when there may be permits to grant */
  constructor(terms: PermitTerms, onAvailable: (limiter: RateLimiter) => void) {
    this.terms = terms;
    this.#onAvailable = onAvailable;
    this.#coolDown = new CoolDown(terms);
    this.#returns = new Returns(terms.windowMs, (slot) => {
      for (const [permits, count] of slot) {
        this.#inUse -= count;
        permits.putBack(count);
      }
      this.pump();
    });
  }

  /** Takes permits from this source from now on; without a source, every request waits. */
  use(source: PermitSource | undefined): void {
    this.#source = source;
    this.pump();
  }

  /** Grants every permit that can be granted. */
  pump(): void {
    this.#onAvailable(this);
  }

  /** Checks the source, while a request waits. */
  check(): void {
    this.#source?.check?.();
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
    if (this.#source === undefined) return false;
    return this.coolDownMs(now) === 0 || (isUrgent && this.#coolDown.canProbe(now));
  }

  /** For how long no permit is granted after a 429, milliseconds. */
  coolDownMs(now = performance.now()): number {
    return this.#coolDown.remainingMs(now);
  }

  /** How many permits can be taken now. */
  available(isUrgent: boolean, now: number): number {
    const source = this.#source;
    if (source === undefined) return 0;
    const permits = source.main.available + (isUrgent ? (source.reserve?.available ?? 0) : 0);
    // Whatever a source grants, and however often it was lost: the exchange never counts more than the limit.
    const left = Math.min(permits, this.terms.limit - this.#inUse);
    const probes = isUrgent && this.#coolDown.canProbe(now) ? 1 : 0;
    return Math.min(left, Math.max(this.#coolDown.maxInUse(now) - this.#inUse, probes));
  }

  /** Takes an available permit. */
  take(now: number): TakenPermit {
    const { main, reserve } = this.#source ?? {};
    // The time of shared permits may have passed since they were available: then none is taken from the reserve.
    const permits = main?.available === 0 && reserve !== undefined && reserve.available > 0 ? reserve : main;
    if (permits === undefined) throw new Error('a permit was taken where none is available');
    const isProbe = this.#inUse >= this.#coolDown.maxInUse(now);
    this.#inUse += 1;
    const probe = isProbe ? this.#coolDown.startProbe(now) : undefined;
    return { limiter: this, permits, usableUntil: permits.take(), probe };
  }

  /**
   * Puts a permit back when its request no longer counts. A permit that was not used is free at once. A 429 starts or
   * extends a cool-down.
   */
  putBack({ permits, probe, usableUntil }: TakenPermit, use: PermitUse, retryAfterMs?: number): void {
    const now = performance.now();
    if (use === 'unsent') {
      if (probe !== undefined) this.#coolDown.cancelProbe(probe);
      this.#inUse -= 1;
      // Other processes may have got a permit that may no longer be used.
      permits.putBack(1, now < usableUntil);
      return;
    }
    const { windowMs, lateArrivalMs } = this.terms;
    this.#returns.after(forgetMsOf(windowMs) + (use === 'unknown' ? lateArrivalMs : 0), permits);
    if (use === 'responded' && probe !== undefined) this.#coolDown.onProbed(probe, now);
    if (use !== 'rate-limited') return;
    this.#coolDown.start(now, retryAfterMs);
    this.#source?.announceCoolDown?.(this.coolDownMs(now));
  }

  /** Starts or extends a cool-down that another process has announced. */
  coolDown(ms: number): void {
    this.#coolDown.start(performance.now(), ms);
  }

  /** Requests as many permits from the source as could be used now. */
  want(demand: Demand = noDemand, now = performance.now()): void {
    const source = this.#source;
    if (source === undefined) return;
    // Permits that are free may exceed what a ramp-up allows now: the next step grants more.
    const isLimited = this.#inUse >= this.#coolDown.maxInUse(now);
    const max = isLimited ? Number(this.#coolDown.canProbe(now)) : Number.POSITIVE_INFINITY;
    source.main.want(Math.min(demand.all, max));
    source.reserve?.want(Math.min(demand.urgent, max));
  }

  /** Milliseconds until the cool-down, or the ramp-up after it, allows more; Infinity when neither is under way. */
  moreInMs(isUrgent: boolean, now: number): number {
    return this.#coolDown.moreInMs(now, isUrgent);
  }

  usage(): RateLimitUsage {
    const now = performance.now();
    const { name, limit, windowMs } = this.terms;
    const coolDownMs = this.coolDownMs(now);
    return {
      rateLimit: name,
      limit,
      windowMs,
      used: this.#inUse,
      free: Math.max(0, this.#source?.free() ?? 0),
      queued: { ...this.queued },
      coolDownUntil: coolDownMs === 0 ? undefined : Math.ceil(Date.now() + coolDownMs),
    };
  }
}

/** A permit returns up to one slot late: the price of one timer per slot instead of one per permit. */
const slotsPerWindow = 200;
const maxSlotMs = 50;

/** The permits that return in one slot, counted by their origin. */
type Slot<Origin> = Map<Origin, number>;

/** Returns permits when their time has come, and never before. */
export class Returns<Origin> {
  readonly #slots = new Map<number, Slot<Origin>>();
  readonly #slotMs: number;
  readonly #onReturn: (slot: ReadonlyMap<Origin, number>) => void;

  constructor(windowMs: number, onReturn: (slot: ReadonlyMap<Origin, number>) => void) {
    this.#slotMs = Math.min(maxSlotMs, windowMs / slotsPerWindow);
    this.#onReturn = onReturn;
  }

  /** Returns permits after this time, at the end of the slot. */
  after(ms: number, origin: Origin): void {
    const index = Math.ceil((performance.now() + ms) / this.#slotMs);
    let slot = this.#slots.get(index);
    if (slot === undefined) {
      slot = new Map();
      this.#slots.set(index, slot);
      this.#wait(index, slot);
    }
    slot.set(origin, (slot.get(origin) ?? 0) + 1);
  }

  /** Does not keep the process alive. Timers fire up to a millisecond early, so each one checks the clock. */
  #wait(index: number, slot: Slot<Origin>): void {
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
