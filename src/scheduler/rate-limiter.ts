// One rate limit: which request gets its next permit, and when permits return. A limit of N requests has N permits, and a
// permit is in use from before its request is sent until one window and a guard after the response: by then the exchange
// has forgotten the request, whatever the latency was.
import type { Subscriber } from 'rxjs';
import type { Priority } from '../endpoint/index.js';
import { maxTimerMs } from '../errors/index.js';
import { CoolDown } from './cool-down.js';
import type { InFlight, Waiting } from './in-flight.js';
import type { Leases } from './leases.js';
import { PermitQueue, type Lane, type QueuedLimit, type QueuedRequest } from './permit-queue.js';
import type { PermitSource, PermitTerms } from './permit-source.js';
import type { Permit, PermitUse } from './permit.js';
import { priorities } from './priority.js';
import { forgetMsOf, Returns } from './returns.js';
import { Rate, type RateLimitUsage } from './usage.js';
import { WaitingTimers } from './waiting-timers.js';

/** How often a ramp-up grants more permits. */
const rampUpStepMs = 20;
/** While other requests are queued, 1 permit in this many is granted to a background request. */
const backgroundTurn = 20;

const urgentOnly: readonly Priority[] = ['urgent'];
const backgroundFirst: readonly Priority[] = ['background', 'urgent', 'normal'];

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
  /** The request must be sent before this time, by `performance.now()`. */
  readonly usableUntil: number;
  /** The number of the probe, when the request is one. */
  readonly probe: number | undefined;
  /** {@link CoolDown.starts} and {@link CoolDown.incidents} when the permit was granted. */
  readonly coolDowns: number;
  readonly incidents: number;
}

/** A request for a permit. */
export interface PermitRequest extends QueuedRequest<PermitRequest> {
  readonly endpoint: string;
  /** Narrowest first; always the same list for the same rate limits. */
  readonly limiters: readonly RateLimiter[];
  readonly maxWaitMs: number | undefined;
  readonly subscriber: Subscriber<Permit>;
  arrival: number;
  /** The permits that it has: of its first rate limits. */
  taken: readonly TakenPermit[];
  /** By `performance.now()`. */
  expiresAt: number;
  /** Ends its wait, or emits its error. */
  timer: NodeJS.Timeout | undefined;
}

/** A request that gets a permit. */
export interface Granted {
  readonly request: PermitRequest;
  readonly permit: TakenPermit;
}

export class RateLimiter implements QueuedLimit<PermitRequest> {
  readonly terms: RateLimiterTerms;
  /**
   * Referenced so that the scheduler lives as long as a permit is in use or a timer of this object runs: a new
   * scheduler in its place would not know of the requests that still count.
   */
  readonly scheduler: object;
  /** The requests that wait for a permit of this rate limit now. */
  readonly queue = new PermitQueue<PermitRequest>(this);
  /** The requests that have a permit of this rate limit, and wait for one of another. */
  readonly holding: Set<Lane<PermitRequest>>;
  readonly #hooks: RateLimiterHooks;
  readonly #returns: Returns<Leases>;
  readonly #rate = new Rate();
  readonly #timers = new WaitingTimers(
    () => {
      this.#source?.check();
      this.pump();
    },
    () => {
      this.pump();
    },
  );
  /** Requests that need a permit of this rate limit, whichever they wait for. */
  readonly #queued: Record<Priority, number> = { urgent: 0, normal: 0, background: 0 };
  /** Rate limits with requests that wait until this one is open. */
  readonly #waitingForOpen = new Set<Waiting>();
  #source: PermitSource | undefined;
  #inUse = 0;
  #grantsSinceBackground = 0;
  /** Absent before the first 429. */
  #coolDown: CoolDown | undefined;
  /** Does nothing but reference this object during a cool-down. */
  #coolDownTimer: NodeJS.Timeout | undefined;

  /** @param scheduler the owner */
  constructor(terms: RateLimiterTerms, hooks: RateLimiterHooks, scheduler: object) {
    this.terms = terms;
    this.scheduler = scheduler;
    this.holding = new Set();
    this.#hooks = hooks;
    this.#returns = new Returns(terms.windowMs, (slot) => {
      for (const [leases, count] of slot) {
        this.#inUse -= count;
        leases.putBack(count);
      }
      this.pump();
    });
  }

  /** Takes permits from this source from now on; without a source, every request waits. */
  use(source: PermitSource | undefined): void {
    this.#source = source;
    this.#recall();
    this.pump();
  }

  /** Grants every permit that can be granted. */
  pump(): void {
    this.#hooks.onAvailable(this);
  }

  /** Counts the permits of the source that are out as used by requests that were sent just now and may arrive late. */
  assumeSent({ main, reserve }: PermitSource): void {
    for (const leases of reserve === undefined ? [main] : [main, reserve]) {
      this.#inUse += leases.out;
      this.#returns.after(forgetMsOf(this.terms.windowMs) + this.terms.lateArrivalMs, leases, leases.out);
    }
  }

  /** Whether no request waits, the exchange counts none, and no cool-down or ramp-up is under way. */
  get isIdle(): boolean {
    const isUnlimited = this.#maxInUse(performance.now()) === Number.POSITIVE_INFINITY;
    return this.#inUse === 0 && !this.#hasQueued && isUnlimited;
  }

  /** Whether more requests of at least this priority are queued than may be. */
  isQueueFull(priority: Priority): boolean {
    const { urgent, normal, background } = this.#queued;
    const others = (priority === 'urgent' ? 0 : normal) + (priority === 'background' ? background : 0);
    return urgent + others > this.terms.maxQueued;
  }

  /** A request that needs this rate limit is queued. Call {@link keepAlive} when it stays. */
  enterQueue(priority: Priority): void {
    this.#queued[priority] += 1;
  }

  leaveQueue(priority: Priority): void {
    this.#queued[priority] -= 1;
    if (!this.#hasQueued) this.#timers.stop();
  }

  /** Keeps the process alive while a request waits: the timers of returning permits do not. */
  keepAlive(): void {
    this.#timers.start();
  }

  /** The next request of this client that waits here. */
  firstOf(client: InFlight): PermitRequest | undefined {
    return this.queue.firstOf(client);
  }

  /** Whether permits are granted, or will be as soon as one is free: there is a source, and no cool-down. */
  isOpen(isUrgent: boolean, now: number): boolean {
    if (this.#source === undefined) return false;
    return !this.isCoolingDown(now) || (isUrgent && this.#canProbe(now));
  }

  /** Pumps the other rate limit when this one is open again. */
  wakeWhenOpen(other: Waiting, now: number): void {
    this.#waitingForOpen.add(other);
    this.#waitForRampUp(now);
  }

  /** Pumps the rate limits whose requests wait until this one is open. */
  wakeWaiting(): void {
    for (const other of this.#waitingForOpen) {
      this.#waitingForOpen.delete(other);
      other.pump();
    }
  }

  /** Whether no permit is granted after a 429. */
  isCoolingDown(now: number): boolean {
    return this.#coolDown !== undefined && this.#coolDown.remainingMs(now) > 0;
  }

  /** Takes a permit, when one can be granted now. */
  take(priority: Priority, now: number): TakenPermit | undefined {
    const source = this.#source;
    const isUrgent = priority === 'urgent';
    // Whatever a source grants, and however often it was lost: the exchange never counts more than the limit.
    if (source === undefined || this.#inUse >= this.terms.limit) return undefined;
    const isProbe = this.#coolDown !== undefined && this.#inUse >= this.#maxInUse(now);
    if (isProbe && !(isUrgent && this.#canProbe(now))) return undefined;
    let leases: Leases | undefined = source.main;
    let usableUntil = leases.take();
    if (usableUntil === undefined && isUrgent) {
      leases = source.reserve;
      usableUntil = leases?.take();
    }
    if (leases === undefined || usableUntil === undefined) return undefined;
    this.#inUse += 1;
    this.#rate.count(now);
    this.#grantsSinceBackground = priority === 'background' ? 0 : this.#grantsSinceBackground + 1;
    const probe = isProbe ? this.#coolDown?.startProbe(now) : undefined;
    const { starts: coolDowns, incidents } = this.#coolDown ?? noCoolDown;
    return { limiter: this, leases, usableUntil, probe, coolDowns, incidents };
  }

  /** The request that gets the next permit, in turn. */
  next(now: number): Granted | undefined {
    if (this.queue.isEmpty || this.#inUse >= this.terms.limit) return undefined;
    const isBackgroundFirst = this.#grantsSinceBackground >= backgroundTurn - 1;
    return this.#next(isBackgroundFirst ? backgroundFirst : priorities, now) ?? this.#next(urgentOnly, now);
  }

  #next(among: readonly Priority[], now: number): Granted | undefined {
    const request = this.queue.next(among, now);
    const permit = request && this.take(request.priority, now);
    return request && permit && { request, permit };
  }

  /** The request that gets a permit of one that waits for another rate limit, and that yields it. */
  nextYielded(now: number): Granted | undefined {
    if (this.holding.size === 0) return undefined;
    const request = this.queue.next(priorities, now);
    if (request === undefined || !this.isOpen(request.priority === 'urgent', now)) return undefined;
    for (const lane of this.holding) {
      const yielding = lane.yielding(request.priority === 'urgent', now);
      const permit = yielding?.taken.find(({ limiter }) => limiter === this);
      if (yielding === undefined || permit === undefined) continue;
      yielding.taken = yielding.taken.filter((one) => one !== permit);
      stepBack(yielding);
      return { request, permit };
    }
    return undefined;
  }

  /** Puts a permit back when its request no longer counts. A permit that was not used is free at once. */
  putBack({ leases, probe }: TakenPermit, use: PermitUse): void {
    const forgetMs = forgetMsOf(this.terms.windowMs);
    switch (use) {
      case 'unsent':
        if (probe !== undefined) this.#coolDown?.cancelProbe(probe);
        this.#inUse -= 1;
        leases.putBackUnused();
        return;
      case 'rate-limited':
      case 'responded':
        this.#returns.after(forgetMs, leases);
        return;
      // Callers without types may pass any other word: the request may have been sent.
      default:
        this.#returns.after(forgetMs + this.terms.lateArrivalMs, leases);
    }
  }

  /** Ends the cool-down when the permit was that of a probe, unless another 429 came after it. */
  endProbe({ probe, coolDowns }: TakenPermit): void {
    if (probe !== undefined && coolDowns === this.#coolDown?.starts) this.endCoolDown();
  }

  /**
   * Starts or extends a cool-down; returns its length, milliseconds.
   *
   * @param since the number of incidents when the request was sent; not known of another process
   */
  startCoolDown(ms?: number, since?: number): number {
    const { limit, windowMs, maxCoolDownMs } = this.terms;
    const now = performance.now();
    this.#coolDown ??= new CoolDown(limit, windowMs, maxCoolDownMs);
    const coolDownMs = this.#coolDown.start(now, ms, since);
    this.#recall();
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
    this.#coolDown?.end(performance.now());
    clearTimeout(this.#coolDownTimer);
    this.pump();
  }

  /** Requests as many permits from the source as could be used now. */
  requestPermits(now: number): void {
    const source = this.#source;
    if (source === undefined) return;
    const { all, urgent } = this.queue.isEmpty ? nothing : this.queue.countSendable(now);
    const maxInUse = this.#maxInUse(now);
    // Permits that are free may exceed what a ramp-up allows now: the next step grants more.
    if (maxInUse < Number.POSITIVE_INFINITY) this.#waitForRampUp(now);
    const isOpen = maxInUse > this.#inUse;
    const probes = this.#queued.urgent > 0 && this.#canProbe(now) ? 1 : 0;
    source.main.want(isOpen ? all : Math.min(all, probes));
    source.reserve?.want(isOpen ? urgent : Math.min(urgent, probes));
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
      queued: { ...this.#queued },
      coolDownUntil: remainingMs === 0 ? undefined : Math.ceil(Date.now() + remainingMs),
      ratePerSecond: this.#rate.perSecond(now),
    };
  }

  get #hasQueued(): boolean {
    const { urgent, normal, background } = this.#queued;
    return urgent + normal + background > 0;
  }

  /** Requests that wait give back the permits of this rate limit, and those with which they wait for it. */
  #recall(): void {
    const lanes = [...this.holding, ...this.queue.lanesWithPermits()];
    // Listed first: a request that steps back may come again at once.
    for (const request of lanes.flatMap((lane) => lane.all())) if (request.taken.length > 0) stepBack(request);
  }

  /** How many permits may be in use now. */
  #maxInUse(now: number): number {
    return this.#coolDown?.maxInUse(now) ?? Number.POSITIVE_INFINITY;
  }

  /** Whether an urgent request may be sent as a probe. */
  #canProbe(now: number): boolean {
    return this.#coolDown?.nextProbeInMs(now) === 0;
  }

  #waitForRampUp(now: number): void {
    if (!this.#hasQueued || this.#coolDown === undefined) return;
    const rampUpMs = Math.max(Math.ceil(this.#coolDown.remainingMs(now)), rampUpStepMs);
    const probeMs = this.#queued.urgent === 0 ? 0 : Math.ceil(this.#coolDown.nextProbeInMs(now));
    this.#timers.setAlarm(Math.min(rampUpMs, probeMs === 0 ? Number.POSITIVE_INFINITY : probeMs), now);
  }
}

const nothing = { all: 0, urgent: 0 };
const noCoolDown = { starts: 0, incidents: 0 };

/** A request that waits gives back the permits that it has, and waits for its first rate limit again, in its place. */
export function stepBack(request: PermitRequest): void {
  const { lane, limiters, taken } = request;
  lane?.queue.leave(request);
  request.taken = [];
  limiters[0]?.queue.join(request);
  for (const one of taken) {
    one.limiter.putBack(one, 'unsent');
    one.limiter.pump();
  }
}
