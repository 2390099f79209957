// The permits of one rate limit: how many can be granted now, and how many are requested from their source. A limit of N
// requests has N permits, and a permit returns only when the exchange no longer counts its request.
import { maxTimerMs } from '../errors/index.js';
import type { Priority } from './client-queue.js';
import { CoolDown } from './cool-down.js';
import type { Leases } from './leases.js';
import type { PermitSource, PermitTerms } from './permit-source.js';
import { PermitsInUse, type PermitUse } from './permits-in-use.js';
import { QueueLength } from './queue-length.js';
import type { RateLimitUsage } from './usage.js';
import { WaitingTimers } from './waiting-timers.js';

/** How often a ramp-up grants more permits. */
const rampUpStepMs = 20;
/** While other requests are queued, 1 permit in this many is granted to a background request. */
const backgroundTurn = 20;

export interface RateLimiterTerms extends PermitTerms {
  /** Maximum number of queued requests. */
  readonly maxQueued: number;
  /** The maximum length of a cool-down, milliseconds. */
  readonly maxCoolDownMs: number;
}

export interface RateLimiterHooks {
  /** There may be permits to grant. */
  readonly onAvailable: (limiter: RateLimiter) => void;
  /** A cool-down of this length has started after a 429. */
  readonly onCoolDown: (ms: number) => void;
}

/** A permit of one rate limit that is in use. */
export interface TakenPermit {
  readonly limiter: RateLimiter;
  readonly leases: Leases;
  /** The number of the probe, when the request is one. */
  readonly probe: number | undefined;
  /** {@link CoolDown.starts} and {@link CoolDown.incidents} when the permit was granted. */
  readonly coolDowns: number;
  readonly incidents: number;
}

export class RateLimiter {
  readonly terms: RateLimiterTerms;
  /**
   * Referenced so that the scheduler lives as long as a permit is in use or a timer of this object runs: a new
   * scheduler in its place would not know of the requests that still count.
   */
  readonly scheduler: object;
  readonly #hooks: RateLimiterHooks;
  readonly #coolDown: CoolDown;
  readonly #inUse: PermitsInUse;
  readonly #queued = new QueueLength();
  readonly #timers = new WaitingTimers(
    () => {
      this.#source?.check();
      this.pump();
    },
    () => {
      this.pump();
    },
  );
  #source: PermitSource | undefined;
  #grantsSinceBackground = 0;
  /** The requests that could be sent with the permits of the other rate limits that they need. */
  #wanted = { all: 0, urgent: 0 };
  /** Does nothing but reference this object during a cool-down. */
  #coolDownTimer: NodeJS.Timeout | undefined;

  /** @param scheduler the owner */
  constructor(terms: RateLimiterTerms, hooks: RateLimiterHooks, scheduler: object) {
    this.terms = terms;
    this.scheduler = scheduler;
    this.#hooks = hooks;
    this.#coolDown = new CoolDown(terms.limit, terms.windowMs, terms.maxCoolDownMs);
    this.#inUse = new PermitsInUse(terms, () => {
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

  /** Counts the permits of the source that are out as used by requests that were sent just now and may arrive late. */
  assumeSent({ main, reserve }: PermitSource): void {
    for (const leases of reserve === undefined ? [main] : [main, reserve]) this.#inUse.assumeSent(leases);
  }

  /** Whether no request waits, the exchange counts none, and no cool-down or ramp-up is under way. */
  get isIdle(): boolean {
    const isUnlimited = this.#coolDown.maxInUse(performance.now()) === Number.POSITIVE_INFINITY;
    return this.#inUse.count === 0 && !this.hasQueued && isUnlimited;
  }

  /** Whether a request waits for a permit of this rate limit. */
  get hasQueued(): boolean {
    return this.#queued.all > 0;
  }

  /** Whether a request waits that is not in the background. */
  get hasForeground(): boolean {
    return this.#queued.foreground > 0;
  }

  /** Whether more requests of at least this priority are queued than may be. */
  isQueueFull(priority: Priority): boolean {
    return this.#queued.upTo(priority) > this.terms.maxQueued;
  }

  /** A request is queued. Call {@link keepAlive} when it stays. */
  enterQueue(priority: Priority): void {
    this.#queued.add(priority, 1);
  }

  leaveQueue(priority: Priority): void {
    this.#queued.add(priority, -1);
    if (!this.hasQueued) this.#timers.stop();
  }

  /** Keeps the process alive while a request waits: the timers of returning permits do not. */
  keepAlive(): void {
    this.#timers.start();
  }

  /** Whether the next permit is that of a background request. */
  get isBackgroundTurn(): boolean {
    return this.#grantsSinceBackground >= backgroundTurn - 1;
  }

  /** How many permits can be granted now, to urgent requests or to others. */
  grantable(isUrgent: boolean, now: number): number {
    const source = this.#source;
    // Whatever a source grants, and however often it was lost: the exchange never counts more than the limit.
    const left = this.terms.limit - this.#inUse.count;
    if (source === undefined || left <= 0) return 0;
    const open = this.#coolDown.maxInUse(now) - this.#inUse.count;
    if (open <= 0) return isUrgent && this.#canProbe(now) ? Math.min(1, this.#inHand(source, true)) : 0;
    return Math.min(left, open, this.#inHand(source, isUrgent));
  }

  /** Whether no permit is granted after a 429. */
  isCoolingDown(now: number): boolean {
    return this.#coolDown.remainingMs(now) > 0;
  }

  /** Whether a permit will be free soon: there is a source, and no cool-down. */
  isGranting(now: number): boolean {
    return this.#source !== undefined && !this.isCoolingDown(now);
  }

  /** Whether other processes use the permits, too. */
  get isShared(): boolean {
    return this.#source?.isShared === true;
  }

  /** How many requests could be sent soon with permits of this rate limit: the free ones, or at least one lease. */
  countSoonFree(now: number): number {
    const source = this.#source;
    if (source === undefined) return 0;
    const open = this.#coolDown.maxInUse(now) - this.#inUse.count;
    if (open <= 0) return this.#queued.urgent > 0 && this.#canProbe(now) ? 1 : 0;
    return Math.min(open, Math.max(source.main.size, source.free()));
  }

  /**
   * Takes a permit; one must be {@link grantable}.
   *
   * @param kept how many permits in hand are kept for requests that come before
   */
  take(priority: Priority, kept: number, now: number): TakenPermit {
    const isUrgent = priority === 'urgent';
    const isProbe = this.#inUse.count >= this.#coolDown.maxInUse(now);
    const leases = this.#leasesFor(isUrgent, kept);
    this.#inUse.take(leases, now);
    this.#grantsSinceBackground = priority === 'background' ? 0 : this.#grantsSinceBackground + 1;
    const probe = isProbe ? this.#coolDown.startProbe(now) : undefined;
    const { starts: coolDowns, incidents } = this.#coolDown;
    return { limiter: this, leases, probe, coolDowns, incidents };
  }

  /** Puts a permit back when its request no longer counts. A permit that was not used is free at once. */
  putBack({ leases, probe }: TakenPermit, use: PermitUse): void {
    if (use === 'unsent' && probe !== undefined) this.#coolDown.cancelProbe(probe);
    this.#inUse.putBack(leases, use);
  }

  /** Ends the cool-down when the permit was that of a probe, unless another 429 came after it. */
  endProbe({ probe, coolDowns }: TakenPermit): void {
    if (probe !== undefined && coolDowns === this.#coolDown.starts) this.endCoolDown();
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

  /** Announces a cool-down to the other processes, and reports it. */
  announceCoolDown(ms: number): void {
    this.#source?.announceCoolDown(ms);
    this.#hooks.onCoolDown(ms);
  }

  /** Ends the cool-down: the ramp-up starts now. */
  endCoolDown(): void {
    this.#coolDown.end(performance.now());
    clearTimeout(this.#coolDownTimer);
    this.pump();
  }

  /** This many more requests could be sent. {@link requestPermits} requests permits for them. */
  want(all: number, urgent: number): void {
    this.#wanted.all += all;
    this.#wanted.urgent += urgent;
  }

  /** Requests as many permits from the source as could be used now. */
  requestPermits(now: number): void {
    const { all, urgent } = this.#wanted;
    this.#wanted.all = 0;
    this.#wanted.urgent = 0;
    const source = this.#source;
    if (source === undefined) return;
    const isOpen = this.#coolDown.maxInUse(now) > this.#inUse.count;
    if (isOpen) {
      // Permits that are free may all be kept: the next step grants more.
      if (this.#coolDown.maxInUse(now) < Number.POSITIVE_INFINITY) this.#waitForRampUp(now);
      source.main.want(all);
      source.reserve?.want(urgent);
      return;
    }
    this.#waitForRampUp(now);
    const probes = this.#queued.urgent > 0 && this.#canProbe(now) ? 1 : 0;
    source.main.want(Math.min(all, probes));
    source.reserve?.want(Math.min(urgent, probes));
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
      queued: { ...this.#queued.counts },
      coolDownUntil: remainingMs === 0 ? undefined : Math.ceil(Date.now() + remainingMs),
      ratePerSecond: this.#inUse.ratePerSecond(now),
    };
  }

  #inHand({ main, reserve }: PermitSource, isUrgent: boolean): number {
    return isUrgent && reserve !== undefined ? main.available + reserve.available : main.available;
  }

  #leasesFor(isUrgent: boolean, kept: number): Leases {
    const { main, reserve } = this.#source ?? {};
    if (main === undefined) throw new TypeError(`no permit of rate limit "${this.terms.name}" can be granted`);
    // As {@link grantable} has found them: in the meantime the permits of a lease may have become too old.
    if (!isUrgent || reserve === undefined || main.inHand > kept) return main;
    return reserve.inHand > 0 ? reserve : main;
  }

  /** Whether an urgent request may be sent as a probe. */
  #canProbe(now: number): boolean {
    return this.#coolDown.nextProbeInMs(now) === 0;
  }

  #waitForRampUp(now: number): void {
    if (!this.hasQueued) return;
    const rampUpMs = Math.max(Math.ceil(this.#coolDown.remainingMs(now)), rampUpStepMs);
    const probeMs = this.#queued.urgent === 0 ? 0 : Math.ceil(this.#coolDown.nextProbeInMs(now));
    this.#timers.setAlarm(Math.min(rampUpMs, probeMs === 0 ? Number.POSITIVE_INFINITY : probeMs), now);
  }
}
