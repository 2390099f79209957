// One rate limit: how many permits can be used now, and when they return. A limit of N requests has N permits, and a
// permit is in use from before its request is sent until one window and a guard after the response: by then the exchange
// has forgotten the request, whatever the latency was.
import type { Priority } from '../endpoint/index.js';
import { CoolDown } from './cool-down.js';
import type { Demand, Permits, PermitSource, PermitTerms, PermitUse } from './permit.js';
import { forgetMsOf, Returns } from './returns.js';
import type { RateLimitUsage } from './usage.js';

export interface RateLimiterHooks {
  /** There may be permits to grant. */
  readonly onAvailable: (limiter: RateLimiter) => void;
  /** A cool-down of this length has started after a 429. */
  readonly onCoolDown: (ms: number) => void;
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
  readonly #hooks: RateLimiterHooks;
  readonly #returns: Returns<Permits>;
  readonly #coolDown: CoolDown;
  #source: PermitSource | undefined;
  #inUse = 0;

  constructor(terms: PermitTerms, hooks: RateLimiterHooks) {
    this.terms = terms;
    this.#hooks = hooks;
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
    this.#hooks.onAvailable(this);
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

  /** Whether no request waits, the exchange counts none, and no cool-down or ramp-up is under way. */
  get isIdle(): boolean {
    const maxInUse = this.#coolDown.maxInUse(performance.now());
    return this.#inUse === 0 && !this.hasQueued && maxInUse === Number.POSITIVE_INFINITY;
  }

  /** Whether permits are granted, or will be as soon as one is free. */
  isOpen(isUrgent: boolean, now: number): boolean {
    if (this.#source === undefined) return false;
    return !this.isCoolingDown(now) || (isUrgent && this.#coolDown.canProbe(now));
  }

  /** Whether no permit is granted after a 429. */
  isCoolingDown(now: number): boolean {
    return this.#coolDown.remainingMs(now) > 0;
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

  /** Puts a permit back when its request no longer counts. A permit that was not used is free at once. */
  putBack({ permits, probe, usableUntil }: TakenPermit, use: PermitUse): void {
    if (use === 'unsent') {
      if (probe !== undefined) this.#coolDown.cancelProbe(probe);
      this.#inUse -= 1;
      // Other processes may have got a permit that may no longer be used.
      permits.putBack(1, performance.now() < usableUntil);
      return;
    }
    // Callers without types may pass any other word: the request may have been sent.
    const { windowMs, lateArrivalMs } = this.terms;
    const lateMs = use === 'responded' || use === 'rate-limited' ? 0 : lateArrivalMs;
    this.#returns.after(forgetMsOf(windowMs) + lateMs, permits);
    if (use === 'responded' && probe !== undefined) this.#coolDown.onProbed(probe, performance.now());
  }

  /** Starts or extends a cool-down; returns its length, milliseconds. */
  startCoolDown(ms?: number): number {
    return this.#coolDown.start(performance.now(), ms);
  }

  /** Announces a cool-down to the other processes, and reports it. */
  announceCoolDown(ms: number): void {
    this.#source?.announceCoolDown?.(ms);
    this.#hooks.onCoolDown(ms);
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
    const remainingMs = this.#coolDown.remainingMs(now);
    return {
      rateLimit: name,
      limit,
      windowMs,
      used: this.#inUse,
      free: Math.max(0, this.#source?.free() ?? 0),
      queued: { ...this.queued },
      coolDownUntil: remainingMs === 0 ? undefined : Math.ceil(Date.now() + remainingMs),
    };
  }
}
