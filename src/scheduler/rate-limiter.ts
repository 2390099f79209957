// One rate limit: which request gets its next permit, and when permits return. A limit of N requests has N permits, and a
// permit is in use from before its request is sent until one window and a guard after the response: by then the exchange
// has forgotten the request, whatever the latency was.
import type { Subscriber } from 'rxjs';
import type { Priority } from '../endpoint/index.js';
import { CoolDown } from './cool-down.js';
import type { Waiting } from './in-flight.js';
import type { Leases } from './leases.js';
import { PermitQueue, type QueuedLimit, type QueuedRequest } from './permit-queue.js';
import type { PermitSource, PermitTerms } from './permit-source.js';
import type { Permit, PermitUse } from './permit.js';
import { priorities } from './priority.js';
import { forgetMsOf, Returns } from './returns.js';
import { Rate, type RateLimitUsage } from './usage.js';

/** While requests wait, the clock and the source are checked this often. */
const checkEveryMs = 1000;
/** While other requests are queued, 1 permit in this many is granted to a background request. */
const backgroundTurn = 20;

const urgentOnly: readonly Priority[] = ['urgent'];
const backgroundFirst: readonly Priority[] = ['background', 'urgent', 'normal'];

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
  readonly leases: Leases;
  /** The request must be sent before this time, by `performance.now()`. */
  readonly usableUntil: number;
  /** The number of the probe, when the request is one. */
  readonly probe: number | undefined;
  /** {@link CoolDown.incidents} when the permit was granted. */
  readonly incidents: number;
}

/** A request for a permit. */
export interface PermitRequest extends QueuedRequest<PermitRequest> {
  readonly endpoint: string;
  /** Narrowest first; always the same list for the same rate limits. */
  readonly limiters: readonly RateLimiter[];
  readonly maxWaitMs: number | undefined;
  readonly subscriber: Subscriber<Permit>;
  /** The permits that it has: of its first rate limits. */
  taken: readonly TakenPermit[];
  /** By `performance.now()`. */
  readonly expiresAt: number;
  /** Ends its wait, or emits its error. */
  timer: NodeJS.Timeout | undefined;
}

export class RateLimiter implements QueuedLimit<PermitRequest> {
  readonly terms: RateLimiterTerms;
  /** The requests that wait for a permit of this rate limit now. */
  readonly queue: PermitQueue<PermitRequest>;
  readonly #hooks: RateLimiterHooks;
  readonly #returns: Returns<Leases>;
  readonly #rate = new Rate();
  /** Rate limits with requests that wait until this one is open. */
  readonly #waitingForOpen = new Set<Waiting>();
  #source: PermitSource | undefined;
  #inUse = 0;
  #grantsSinceBackground = 0;
  /** Absent before the first 429. */
  #coolDown: CoolDown | undefined;
  /** Runs while a request waits, and keeps the process alive: the timers of returning permits do not. */
  #checks: NodeJS.Timeout | undefined;

  constructor(terms: RateLimiterTerms, hooks: RateLimiterHooks) {
    this.terms = terms;
    this.queue = new PermitQueue(this);
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
    return this.#inUse === 0 && !this.queue.hasQueued && isUnlimited;
  }

  /** A request that needs this rate limit has left the queue. */
  leaveQueue(priority: Priority): void {
    this.queue.queued[priority] -= 1;
    if (this.queue.hasQueued) return;
    clearInterval(this.#checks);
    this.#checks = undefined;
    this.#coolDown?.stopWaiting();
  }

  /** Keeps the process alive while a request is queued. */
  keepAlive(): void {
    this.#checks ??= setInterval(() => {
      this.#source?.check();
      this.pump();
    }, checkEveryMs);
  }

  isOpen(isUrgent: boolean, now: number): boolean {
    if (this.#source === undefined) return false;
    return !this.isCoolingDown(now) || (isUrgent && this.#canProbe(now));
  }

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

  /** Takes a permit where no request waits for one. */
  takeAtOnce(priority: Priority, now: number): TakenPermit | undefined {
    const permit = this.queue.isEmpty ? this.#take(priority, now) : undefined;
    if (permit === undefined) return undefined;
    this.#source?.main.want(0);
    this.#source?.reserve?.want(0);
    return permit;
  }

  #take(priority: Priority, now: number): TakenPermit | undefined {
    const source = this.#source;
    const isUrgent = priority === 'urgent';
    // Whatever a source grants, and however often it was lost: the exchange never counts more than the limit.
    if (source === undefined || this.#inUse >= this.terms.limit) return undefined;
    const coolDown = this.#coolDown;
    const isProbe = coolDown !== undefined && this.#inUse >= coolDown.maxInUse(now);
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
    const probe = isProbe ? coolDown.startProbe(now) : undefined;
    return { limiter: this, leases, usableUntil, probe, incidents: coolDown?.incidents ?? 0 };
  }

  /** The request that gets the next permit in turn, which it has then: a free one, or one that another yields. */
  next(now: number): PermitRequest | undefined {
    if (this.queue.isEmpty) return undefined;
    const isBackgroundFirst = this.#grantsSinceBackground >= backgroundTurn - 1;
    return (
      this.#grant(isBackgroundFirst ? backgroundFirst : priorities, now) ??
      this.#grant(urgentOnly, now) ??
      this.#grantYielded(now)
    );
  }

  #grant(among: readonly Priority[], now: number): PermitRequest | undefined {
    if (this.#inUse >= this.terms.limit) return undefined;
    const request = this.queue.next(among, now);
    const permit = request && this.#take(request.priority, now);
    return permit && advance(request, permit);
  }

  #grantYielded(now: number): PermitRequest | undefined {
    const request = this.queue.isHeld ? this.queue.next(priorities, now) : undefined;
    const isUrgent = request?.priority === 'urgent';
    if (request === undefined || !this.isOpen(isUrgent, now)) return undefined;
    const yielding = this.queue.yielding(isUrgent, now);
    const permit = yielding?.taken.find(({ limiter }) => limiter === this);
    if (yielding === undefined || permit === undefined) return undefined;
    yielding.taken = yielding.taken.filter((one) => one !== permit);
    stepBack(yielding);
    return advance(request, permit);
  }

  /** Puts a permit back when its request no longer counts. A permit that was not used is free at once. */
  putBack({ leases, probe, usableUntil }: TakenPermit, use: PermitUse): void {
    if (use === 'unsent') {
      if (probe !== undefined) this.#coolDown?.cancelProbe(probe);
      this.#inUse -= 1;
      // Other processes may have got a permit that may no longer be used.
      if (performance.now() < usableUntil) leases.putBackUnused();
      else leases.putBack(1);
      return;
    }
    // Callers without types may pass any other word: the request may have been sent.
    const { windowMs, lateArrivalMs } = this.terms;
    const lateMs = use === 'responded' || use === 'rate-limited' ? 0 : lateArrivalMs;
    this.#returns.after(forgetMsOf(windowMs) + lateMs, leases);
    if (use !== 'responded' || probe === undefined) return;
    this.#coolDown?.onProbed(probe, performance.now());
    this.pump();
  }

  /**
   * Starts or extends a cool-down; returns its length, milliseconds.
   *
   * @param since {@link CoolDown.incidents} when the request was sent; not known of another process
   */
  startCoolDown(ms?: number, since?: number): number {
    this.#coolDown ??= new CoolDown(this.terms, () => {
      this.pump();
    });
    const coolDownMs = this.#coolDown.start(performance.now(), ms, since);
    this.#recall();
    return coolDownMs;
  }

  /** Announces a cool-down to the other processes, and reports it. */
  announceCoolDown(ms: number): void {
    this.#source?.announceCoolDown(ms);
    this.#hooks.onCoolDown(ms);
  }

  /** Requests as many permits from the source as could be used now. */
  requestPermits(now: number): void {
    const source = this.#source;
    if (source === undefined) return;
    const { all, urgent } = this.queue.countSendable(now);
    // Permits that are free may exceed what a ramp-up allows now: the next step grants more.
    this.#waitForRampUp(now);
    const isOpen = this.#maxInUse(now) > this.#inUse;
    const probes = this.queue.queued.urgent > 0 && this.#canProbe(now) ? 1 : 0;
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
      queued: { ...this.queue.queued },
      coolDownUntil: remainingMs === 0 ? undefined : Math.ceil(Date.now() + remainingMs),
      ratePerSecond: this.#rate.perSecond(now),
    };
  }

  /** Requests that wait give back the permits of this rate limit, and those with which they wait for it. */
  #recall(): void {
    // Listed first: a request that steps back may come again at once.
    for (const request of this.queue.withPermits()) if (request.taken.length > 0) stepBack(request);
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
    const { hasQueued, queued } = this.queue;
    if (hasQueued) this.#coolDown?.wakeWaiting(now, queued.urgent > 0);
  }
}

/** The request has one more permit, and waits for no further one yet. */
function advance(request: PermitRequest, permit: TakenPermit): PermitRequest {
  request.lane?.limiter.queue.leave(request);
  request.taken = [...request.taken, permit];
  return request;
}

/** A request that waits gives back the permits that it has, and waits for its first rate limit again, in its place. */
export function stepBack(request: PermitRequest): void {
  const { lane, limiters, taken } = request;
  lane?.limiter.queue.leave(request);
  request.taken = [];
  limiters[0]?.queue.join(request);
  for (const one of taken) {
    one.limiter.putBack(one, 'unsent');
    one.limiter.pump();
  }
}
