// The queue and the permits of one rate limit: grants each permit to the next request. A limit of N requests has N
// permits, and a permit returns only when the exchange no longer counts its request.
import { maxTimerMs } from '../errors/index.js';
import { CoolDown } from './cool-down.js';
import type { InFlight, Waiting } from './in-flight.js';
import { PermitQueue, urgentOnly, type QueueTerms } from './permit-queue.js';
import type { PermitSource, PermitTerms } from './permit-source.js';
import { PermitsInUse, type PermitRequest } from './permits-in-use.js';
import type { RateLimitUsage } from './usage.js';
import type { Waiter } from './client-queue.js';

/** While requests wait, the clock and the cool-down are checked this often. */
const checkEveryMs = 1000;
/** How often a ramp-up grants more permits. */
const rampUpStepMs = 20;

export interface RateLimiterTerms extends PermitTerms, QueueTerms {
  /** The maximum length of a cool-down, milliseconds. */
  readonly maxCoolDownMs: number;
}

/** A timer, and when it fires, by `performance.now()`. */
interface Alarm {
  readonly timer: NodeJS.Timeout;
  readonly at: number;
}

export class RateLimiter implements Waiting {
  readonly terms: RateLimiterTerms;
  /**
   * Referenced so that the scheduler lives as long as a permit is in use or a timer of this object runs: a new
   * scheduler in its place would not know of the requests that still count.
   */
  readonly scheduler: object;
  readonly #coolDown: CoolDown;
  readonly #queue: PermitQueue;
  readonly #inUse: PermitsInUse;
  readonly #onCoolDown: (ms: number) => void;
  #source: PermitSource | undefined;
  #check: NodeJS.Timeout | undefined;
  /** Pumps during a cool-down and a ramp-up. */
  #rampUp: Alarm | undefined;
  /** Does nothing but reference this object during a cool-down. */
  #coolDownTimer: NodeJS.Timeout | undefined;
  /** A subscriber may call back while it is granted its permit: that is served after the current grant, not within. */
  #isPumping = false;
  #pumpsRequested = 0;

  /**
   * @param onCoolDown called with the length of the cool-down after a 429
   * @param scheduler the owner
   */
  constructor(terms: RateLimiterTerms, onCoolDown: (ms: number) => void, scheduler: object) {
    this.terms = terms;
    this.scheduler = scheduler;
    this.#onCoolDown = onCoolDown;
    this.#coolDown = new CoolDown(terms.limit, terms.windowMs, terms.maxCoolDownMs);
    this.#queue = new PermitQueue(terms, {
      onWait: () => {
        this.#startChecks();
      },
      onEmpty: () => {
        this.#stopTimers();
      },
      isCoolingDown: () => this.#coolDown.remainingMs(performance.now()) > 0,
    });
    this.#inUse = new PermitsInUse(terms, this.#coolDown, {
      onAvailable: () => {
        this.pump();
      },
      onRateLimited: (retryAfterMs, since) => {
        this.#announceCoolDown(this.startCoolDown(retryAfterMs, since));
      },
      onProbeResponse: () => {
        this.endCoolDown();
      },
    });
  }

  /** Takes permits from this source from now on; without a source, every request waits. */
  use(source: PermitSource | undefined): void {
    this.#source = source;
    this.pump();
  }

  /** Counts the permits of the source that are out as used by requests that were sent just now and may arrive late. */
  assumeSent({ main, reserve }: PermitSource): void {
    for (const leases of reserve === undefined ? [main] : [main, reserve]) this.#inUse.assumeSent(leases);
  }

  /** Grants the request a permit, now or when its turn comes. The teardown takes the request out of the queue. */
  join(request: PermitRequest): () => void {
    const queued = this.#queue.join(request, this.#inUse.takeTurnOf(request));
    this.pump();
    return () => {
      this.#queue.leave(queued);
    };
  }

  /** Whether no request waits, the exchange counts none, and no cool-down or ramp-up is under way. */
  get isIdle(): boolean {
    const isUnlimited = this.#coolDown.maxInUse(performance.now()) === Number.POSITIVE_INFINITY;
    return this.#inUse.count === 0 && this.#queue.isEmpty && isUnlimited;
  }

  firstOf(client: InFlight): Waiter | undefined {
    return this.#queue.firstOf(client);
  }

  pump(): void {
    this.#pumpsRequested += 1;
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      let requested: number;
      do {
        requested = this.#pumpsRequested;
        while (this.#grantNext());
        // Also for a request that the queue refuses: with `maxQueued: 0`, the next one finds permits.
        this.#requestPermits();
        this.#queue.refuseOrWait();
      } while (requested !== this.#pumpsRequested);
    } finally {
      this.#isPumping = false;
    }
  }

  /**
   * Starts or extends a cool-down; returns its length, milliseconds.
   *
   * @param since the number of incidents when the request was sent; not known of another process
   */
  startCoolDown(ms?: number, since?: number): number {
    const now = performance.now();
    const coolDownMs = this.#coolDown.start(now, ms, since);
    clearTimeout(this.#coolDownTimer);
    this.#coolDownTimer = setTimeout(
      () => (this.#coolDownTimer = undefined),
      Math.min(this.#coolDown.remainingMs(now), maxTimerMs),
    ).unref();
    return coolDownMs;
  }

  /** Ends the cool-down: the ramp-up starts now. */
  endCoolDown(): void {
    this.#coolDown.end(performance.now());
    clearTimeout(this.#coolDownTimer);
    this.pump();
  }

  usage(): RateLimitUsage {
    const now = performance.now();
    const { name, limit, windowMs } = this.terms;
    const remainingMs = this.#coolDown.remainingMs(now);
    return {
      rateLimit: name,
      limit,
      windowMs,
      used: this.#inUse.count,
      free: Math.max(0, this.#source?.free() ?? 0),
      queued: { ...this.#queue.counts },
      coolDownUntil: remainingMs === 0 ? undefined : Math.ceil(Date.now() + remainingMs),
      ratePerSecond: this.#inUse.ratePerSecond(now),
    };
  }

  /** Grants the next permit; false when none can be granted now. */
  #grantNext(): boolean {
    const source = this.#source;
    if (source === undefined) return false;
    const used = this.#inUse.count;
    // Whatever a source grants, and however often it was lost: the exchange never counts more than the limit.
    if (used >= this.terms.limit) return false;
    const now = performance.now();
    const isOpen = used < this.#coolDown.maxInUse(now);
    if (!isOpen) this.#waitForRampUp(now);
    if (!isOpen && !this.#canProbe(now)) return false;
    const isFromMain = source.main.available > 0;
    const leases = isFromMain ? source.main : source.reserve;
    if (leases === undefined || leases.available === 0) return false;
    const queued = this.#queue.next(isOpen && isFromMain ? this.#queue.turn : urgentOnly);
    if (queued === undefined) return false;
    if (queued.subscriber.closed) {
      // A subscriber that got its permit before has unsubscribed this request, whose teardown join() has not returned
      // yet: its permit would never be released.
      this.#queue.leave(queued);
    } else if (this.#queue.isExpired(queued, now)) {
      this.#queue.expire(queued);
    } else {
      this.#queue.leaveGranted(queued);
      this.#inUse.grant(queued, leases, !isOpen);
    }
    return true;
  }

  /** Whether an urgent request waits and may be sent as a probe. */
  #canProbe(now: number): boolean {
    return this.#queue.counts.urgent > 0 && this.#coolDown.nextProbeInMs(now) === 0;
  }

  /** Requests as many permits from the source as could be used now. */
  #requestPermits(): void {
    const source = this.#source;
    if (source === undefined) return;
    const now = performance.now();
    const isOpen = this.#coolDown.maxInUse(now) > this.#inUse.count;
    const sendable = this.#queue.countSendable(this);
    const probes = this.#canProbe(now) ? 1 : 0;
    source.main.want(isOpen ? sendable : Math.min(sendable, probes));
    source.reserve?.want(isOpen ? this.#queue.counts.urgent : probes);
  }

  #announceCoolDown(ms: number): void {
    this.#source?.announceCoolDown(ms);
    this.#onCoolDown(ms);
  }

  /** Keeps the process alive while a request waits: the timers of returning permits do not. */
  #startChecks(): void {
    this.#check ??= setInterval(() => {
      this.#source?.check();
      this.pump();
    }, checkEveryMs);
  }

  #stopTimers(): void {
    clearInterval(this.#check);
    clearTimeout(this.#rampUp?.timer);
    this.#check = undefined;
    this.#rampUp = undefined;
  }

  #waitForRampUp(now: number): void {
    if (this.#queue.isEmpty) return;
    const rampUpMs = Math.max(Math.ceil(this.#coolDown.remainingMs(now)), rampUpStepMs);
    const probeMs = this.#queue.counts.urgent === 0 ? 0 : Math.ceil(this.#coolDown.nextProbeInMs(now));
    const waitMs = Math.min(rampUpMs, probeMs === 0 ? Number.POSITIVE_INFINITY : probeMs, maxTimerMs);
    if (this.#rampUp !== undefined && this.#rampUp.at <= now + waitMs) return;
    clearTimeout(this.#rampUp?.timer);
    const timer = setTimeout(() => {
      this.#rampUp = undefined;
      this.pump();
    }, waitMs);
    this.#rampUp = { timer, at: now + waitMs };
  }
}
