// One rate limit: how many permits can be used now, and when they return. A limit of N requests has N permits, and a
// permit is in use from before its request is sent until one window and a guard after the response: by then the exchange
// has forgotten the request, whatever the latency was.
import type { Priority } from '../endpoint/index.js';
import { maxTimerMs } from '../errors/index.js';
import { CoolDown } from './cool-down.js';
import type { Demand, Permits, PermitSource, PermitTerms, PermitUse } from './permit.js';
import { forgetMsOf, Returns } from './returns.js';
import { Rate, type RateLimitUsage } from './usage.js';

export interface RateLimiterTerms extends PermitTerms {
  /** Maximum number of queued requests. */
  readonly maxQueued: number;
}

export interface RateLimiterHooks {
  /** There may be permits to grant. */
  readonly onAvailable: (limiter: RateLimiter) => void;
  /** A cool-down of this length has started after a 429. */
  readonly onCoolDown: (ms: number) => void;
  /**
   * The owner. Referenced so that it lives as long as a permit is in use or a timer of the rate limiter runs: a new
   * scheduler in its place would not know of the requests that still count.
   */
  readonly scheduler: object;
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
  readonly terms: RateLimiterTerms;
  /** The requests that need this rate limit and wait. */
  readonly queued: Record<Priority, number> = { urgent: 0, normal: 0 };
  readonly #hooks: RateLimiterHooks;
  readonly #returns: Returns<Permits>;
  readonly #rate = new Rate();
  #source: PermitSource | undefined;
  #inUse = 0;
  /** Absent before the first 429. */
  #coolDown: CoolDown | undefined;
  /** Does nothing but reference this object during the cool-down: a new one in its place would not know of it. */
  #lifeline: NodeJS.Timeout | undefined;

  constructor(terms: RateLimiterTerms, hooks: RateLimiterHooks) {
    this.terms = terms;
    this.#hooks = hooks;
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

  /** Counts the permits of the source that are out as used by requests that were sent just now and may arrive late. */
  assumeSent({ main, reserve }: PermitSource): void {
    for (const permits of reserve === undefined ? [main] : [main, reserve]) {
      this.#inUse += permits.out;
      this.#returns.after(forgetMsOf(this.terms.windowMs) + this.terms.lateArrivalMs, permits, permits.out);
    }
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
    const { maxInUse } = this.#allowed(performance.now());
    return this.#inUse === 0 && !this.hasQueued && maxInUse === Number.POSITIVE_INFINITY;
  }

  /** Whether permits are granted, or will be as soon as one is free. */
  isOpen(isUrgent: boolean, now: number): boolean {
    if (this.#source === undefined) return false;
    return !this.isCoolingDown(now) || (isUrgent && this.#allowed(now).canProbe);
  }

  /** Whether no permit is granted after a 429. */
  isCoolingDown(now: number): boolean {
    return this.#coolDown !== undefined && this.#coolDown.remainingMs(now) > 0;
  }

  /** How many permits can be taken now. */
  available(isUrgent: boolean, now: number): number {
    const source = this.#source;
    if (source === undefined) return 0;
    const permits = source.main.available + (isUrgent ? (source.reserve?.available ?? 0) : 0);
    // Whatever a source grants, and however often it was lost: the exchange never counts more than the limit.
    const left = Math.min(permits, this.terms.limit - this.#inUse);
    if (this.#coolDown === undefined) return left;
    const { maxInUse, canProbe } = this.#allowed(now);
    return Math.min(left, Math.max(maxInUse - this.#inUse, isUrgent && canProbe ? 1 : 0));
  }

  /** Takes an available permit. */
  take(now: number): TakenPermit {
    const { main, reserve } = this.#source ?? {};
    // The time of shared permits may have passed since they were available: then none is taken from the reserve.
    const permits = main?.available === 0 && reserve !== undefined && reserve.available > 0 ? reserve : main;
    if (permits === undefined) throw new Error('a permit was taken where none is available');
    const isProbe = this.#inUse >= this.#allowed(now).maxInUse;
    this.#inUse += 1;
    this.#rate.count(now);
    const probe = isProbe ? this.#coolDown?.startProbe(now) : undefined;
    return { limiter: this, permits, usableUntil: permits.take(), probe };
  }

  /** Puts a permit back when its request no longer counts. A permit that was not used is free at once. */
  putBack({ permits, probe, usableUntil }: TakenPermit, use: PermitUse): void {
    if (use === 'unsent') {
      if (probe !== undefined) this.#coolDown?.cancelProbe(probe);
      this.#inUse -= 1;
      // Other processes may have got a permit that may no longer be used.
      permits.putBack(1, performance.now() < usableUntil);
      return;
    }
    // Callers without types may pass any other word: the request may have been sent.
    const { windowMs, lateArrivalMs } = this.terms;
    const lateMs = use === 'responded' || use === 'rate-limited' ? 0 : lateArrivalMs;
    this.#returns.after(forgetMsOf(windowMs) + lateMs, permits);
    if (use === 'responded' && probe !== undefined) this.#coolDown?.onProbed(probe, performance.now());
  }

  /** Starts or extends a cool-down; returns its length, milliseconds. */
  startCoolDown(ms?: number): number {
    const now = performance.now();
    this.#coolDown ??= new CoolDown(this.terms);
    const coolDownMs = this.#coolDown.start(now, ms);
    clearTimeout(this.#lifeline);
    const remainingMs = Math.min(this.#coolDown.remainingMs(now), maxTimerMs);
    this.#lifeline = setTimeout(() => (this.#lifeline = undefined), remainingMs).unref();
    return coolDownMs;
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
    const { maxInUse, canProbe } = this.#allowed(now);
    // Permits that are free may exceed what a ramp-up allows now: the next step grants more.
    const max = maxInUse > this.#inUse ? Number.POSITIVE_INFINITY : canProbe ? 1 : 0;
    source.main.want(Math.min(demand.all, max));
    source.reserve?.want(Math.min(demand.urgent, max));
  }

  /** Milliseconds until the cool-down, or the ramp-up after it, allows more; Infinity when neither is under way. */
  moreInMs(isUrgent: boolean, now: number): number {
    return this.#coolDown?.moreInMs(now, isUrgent) ?? Number.POSITIVE_INFINITY;
  }

  usage(): RateLimitUsage {
    const now = performance.now();
    const { name, limit, windowMs } = this.terms;
    const remainingMs = this.#coolDown?.remainingMs(now) ?? 0;
    return {
      rateLimit: name,
      limit,
      windowMs,
      used: this.#inUse,
      free: Math.max(0, this.#source?.free() ?? 0),
      queued: { ...this.queued },
      coolDownUntil: remainingMs === 0 ? undefined : Math.ceil(Date.now() + remainingMs),
      ratePerSecond: this.#rate.perSecond(now),
    };
  }

  /** How many permits may be in use now, and whether an urgent request may be sent as a probe. */
  #allowed(now: number): { readonly maxInUse: number; readonly canProbe: boolean } {
    if (this.#coolDown === undefined) return unlimited;
    return { maxInUse: this.#coolDown.maxInUse(now), canProbe: this.#coolDown.nextProbeInMs(now) === 0 };
  }
}

const unlimited = { maxInUse: Number.POSITIVE_INFINITY, canProbe: false };
