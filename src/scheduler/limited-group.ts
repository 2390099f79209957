// One limit group: those who wait, the permits there are, and who gets which. A permit is out from before its request
// is sent until a whole window after the answer: by then the exchange has forgotten the request, whatever the network
// did to it on the way.
import { throwError, type Subscriber } from 'rxjs';
import { QueueTimeoutError, QueueFullError } from '../errors/call-errors.js';
import { maxTimerMs } from '../errors/longest-timer.js';
import { SynchronousEnds } from '../operators/synchronous-ends.js';
import { CoolDown } from './cool-down.js';
import { forgetMsOf } from './forget.js';
import type { InFlight, Waiting } from './in-flight.js';
import type { Leases } from './leases.js';
import type { PermitSource, PermitTerms } from './permit-source.js';
import type { Permit, PermitUse } from './permit.js';
import { Rate } from './rate.js';
import { Returns } from './returns.js';
import type { RateLimitUsage } from './usage.js';
import { byTurn, priorities, WaitingLine, type Place, type Priority, type Waiter } from './waiting-line.js';

/** While more urgent requests wait, one permit in this many is for the background. */
const backgroundTurn = 20;
const backgroundFirst: readonly Priority[] = ['background', 'urgent', 'normal'];
const urgentOnly: readonly Priority[] = ['urgent'];

/** While anyone waits, the clock and the closure are looked at this often. */
const checkEveryMs = 1000;
/** How often a group that opens slowly lets some more through. */
const openingStepMs = 20;

export interface GroupTerms extends PermitTerms {
  /** How many may wait. */
  readonly maxQueued: number;
  /** The longest that a 429 closes the group for, milliseconds. */
  readonly maxCoolDownMs: number;
}

/** A request that wants a permit. */
export interface PermitRequest extends Waiter {
  readonly endpoint: string;
  readonly client: InFlight;
  readonly maxWaitMs: number | undefined;
  readonly subscriber: Subscriber<Permit>;
}

interface Queued extends PermitRequest {
  /** By `performance.now()`. */
  readonly expiresAt: number;
  place?: Place<Queued> | undefined;
  /** Of its wait, or until it is told that it was refused. */
  expiry?: NodeJS.Timeout;
}

/** A permit that was granted. It must not lead to who has it: nobody could be seen to have forgotten it. */
interface Grant extends Waiter {
  readonly client: InFlight;
  readonly leases: Leases;
  /** Which probe it is, when the group was not open. */
  readonly probe: number | undefined;
  /** How often the group had been closed, and on how many incidents. */
  readonly coolDowns: number;
  readonly incidents: number;
  isReleased: boolean;
}

/** A timer, and when it fires by `performance.now()`. */
interface Alarm {
  readonly timer: NodeJS.Timeout;
  readonly at: number;
}

export class LimitedGroup implements Waiting {
  readonly terms: GroupTerms;
  /**
   * Held by its groups: as long as a permit is out, a timer or a request holds the group, and the scheduler is not
   * forgotten.
   */
  readonly scheduler: object;
  readonly #forgetMs: number;
  readonly #coolDown: CoolDown;
  readonly #returns: Returns<Leases>;
  readonly #rate = new Rate();
  readonly #onCoolDown: (ms: number) => void;
  readonly #lines = new WeakMap<InFlight, WaitingLine<Queued>>();
  /** The lines in which someone waits. */
  readonly #waiting = new Map<InFlight, WaitingLine<Queued>>();
  readonly #queued: Record<Priority, number> = { urgent: 0, normal: 0, background: 0 };
  #source: PermitSource | undefined;
  #used = 0;
  #sinceBackground = 0;
  #check: NodeJS.Timeout | undefined;
  #opening: Alarm | undefined;
  /** Does nothing but hold the group while it is closed. */
  #coolDownTimer: NodeJS.Timeout | undefined;
  /** Those who have joined, and are not granted their permit nor known to wait yet. */
  readonly #joining: Queued[] = [];
  readonly #refusals = new SynchronousEnds();
  /** Subscribers may use the group while it grants them a permit: that comes after, instead of within. */
  #isPumping = false;
  #pumpsAsked = 0;
  /**
   * A permit that nobody can give back any more, since its owner threw or forgot it, comes back by itself: its request
   * may have been sent.
   */
  readonly #lost = new FinalizationRegistry<Grant>((grant) => {
    this.#release(grant, 'unknown');
  });
  /** Who is being granted a permit. */
  #granting: Grant | undefined;
  /** Who gave the permit back while it was granted: a request that is made at that moment has its turn. */
  #turnLeft: Grant | undefined;

  /**
   * @param onCoolDown told when the exchange answered 429, and for how long the group is closed
   * @param scheduler whose group it is
   */
  constructor(terms: GroupTerms, onCoolDown: (ms: number) => void, scheduler: object) {
    this.terms = terms;
    this.scheduler = scheduler;
    this.#forgetMs = forgetMsOf(terms.windowMs);
    this.#coolDown = new CoolDown(terms.limit, terms.windowMs);
    this.#returns = new Returns(terms.windowMs, (slot) => {
      for (const [leases, count] of slot) {
        this.#used -= count;
        leases.putBack(count);
      }
      this.pump();
    });
    this.#onCoolDown = onCoolDown;
  }

  /** Takes permits from this source from now on; from none, everyone waits. */
  use(source: PermitSource | undefined): void {
    this.#source = source;
    this.pump();
  }

  /** The permits of the source that are out are of requests that may have been sent just now, and may still arrive. */
  assumeSent({ main, reserve }: PermitSource): void {
    for (const leases of reserve === undefined ? [main] : [main, reserve]) {
      this.#used += leases.out;
      this.#returns.after(this.#forgetMs + this.terms.lateArrivalMs, leases, leases.out);
    }
  }

  /** Grants the request its permit, now or when its turn has come. The teardown leaves the line. */
  join(request: PermitRequest): () => void {
    const expiresAt = performance.now() + (request.maxWaitMs ?? Number.POSITIVE_INFINITY);
    const turn = this.#takeTurnOf(request);
    const queued: Queued = { ...request, arrival: turn?.arrival ?? request.arrival, expiresAt };
    this.#enter(queued, turn !== undefined);
    this.#joining.push(queued);
    this.pump();
    return () => {
      this.#leave(queued);
    };
  }

  /** Whether no request waits, none may still be counted, and no 429 is remembered. */
  get isIdle(): boolean {
    return (
      this.#used === 0 &&
      this.#waiting.size === 0 &&
      this.#coolDown.maxInUse(performance.now()) === Number.POSITIVE_INFINITY
    );
  }

  firstOf(client: InFlight): Waiter | undefined {
    return this.#waiting.get(client)?.first()?.waiter;
  }

  pump(): void {
    this.#pumpsAsked += 1;
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      let asked: number;
      do {
        asked = this.#pumpsAsked;
        while (this.#grantNext());
        this.#refuseOrWait();
        this.#want();
      } while (asked !== this.#pumpsAsked);
    } finally {
      this.#isPumping = false;
    }
  }

  /**
   * Closes the group, as after a 429; returns for how long, milliseconds. Without a time that is one, it is a window.
   *
   * @param since how many incidents of that there had been when the request was sent; left out of one of another
   *   process
   */
  startCoolDown(ms?: number, since?: number): number {
    const now = performance.now();
    const coolDownMs = Math.min(isDuration(ms) ? ms : this.#forgetMs, this.terms.maxCoolDownMs);
    this.#coolDown.start(now, coolDownMs, since);
    clearTimeout(this.#coolDownTimer);
    this.#coolDownTimer = setTimeout(
      () => (this.#coolDownTimer = undefined),
      Math.min(this.#coolDown.remainingMs(now), maxTimerMs),
    ).unref();
    return coolDownMs;
  }

  /** Ends the time in which the group is closed: it opens slowly from now on. */
  endCoolDown(): void {
    this.#coolDown.end(performance.now());
    clearTimeout(this.#coolDownTimer);
    this.pump();
  }

  usage(): RateLimitUsage {
    const now = performance.now();
    const { name, limit, windowMs } = this.terms;
    const coolDownMs = this.#coolDown.remainingMs(now);
    return {
      rateLimit: name,
      limit,
      windowMs,
      used: this.#used,
      free: Math.max(0, this.#source?.free() ?? 0),
      queued: { ...this.#queued },
      coolDownUntil: coolDownMs === 0 ? undefined : Math.ceil(Date.now() + coolDownMs),
      ratePerSecond: this.#rate.perSecond(now),
    };
  }

  /** The priorities in the order of their turn. */
  #turn(): readonly Priority[] {
    return this.#sinceBackground >= backgroundTurn - 1 ? backgroundFirst : priorities;
  }

  /** Grants the next permit; false when none can be granted now. */
  #grantNext(): boolean {
    const source = this.#source;
    if (source === undefined) return false;
    // Whatever a source grants, and however often it was lost: no more than the limit are counted by the exchange.
    if (this.#used >= this.terms.limit) return false;
    const now = performance.now();
    const isOpen = this.#used < this.#coolDown.maxInUse(now);
    if (!isOpen) this.#waitForOpening(now);
    if (!isOpen && !this.#mayProbe(now)) return false;
    const fromMain = source.main.available > 0;
    const leases = fromMain ? source.main : source.reserve;
    if (leases === undefined || leases.available === 0) return false;
    const queued = this.#next(isOpen && fromMain ? this.#turn() : urgentOnly);
    if (queued === undefined) return false;
    // One who was granted before it may have unsubscribed it while it was joining: nobody would give its permit back.
    if (queued.subscriber.closed) this.#leave(queued);
    // One that is granted while it joins has not waited: it may be worth no wait at all.
    else if (queued.expiry !== undefined && queued.expiresAt <= now) this.#expire(queued);
    else this.#grant(queued, leases, !isOpen);
    return true;
  }

  /** An urgent request waits and may be sent, though the group is not open. */
  #mayProbe(now: number): boolean {
    return this.#queued.urgent > 0 && this.#coolDown.nextProbeInMs(now) === 0;
  }

  /** Those who have joined and were not granted a permit: the line is full for them, or they wait. */
  #refuseOrWait(): void {
    const { name, maxQueued } = this.terms;
    // The last ones first: they are too many, not those before them. Who joins when refused comes after: there may be a
    // permit for it.
    for (const queued of this.#joining.splice(0).reverse()) {
      if (queued.place === undefined) continue;
      const { endpoint, maxWaitMs, priority } = queued;
      if (this.#upTo(priority) > maxQueued) {
        this.#leave(queued);
        this.#refuse(queued, new QueueFullError(endpoint, name, maxQueued));
      } else {
        this.#lookAfterWaiting();
        if (maxWaitMs !== undefined) queued.expiry = this.#expiryOf(queued, maxWaitMs);
      }
    }
  }

  /** Who asks again at once, however often, must not keep timers from running. */
  #refuse(queued: Queued, refusal: QueueFullError): void {
    const { subscriber } = queued;
    if (!this.#refusals.isTooMany()) {
      subscriber.error(refusal);
      return;
    }
    queued.expiry = setTimeout(() => {
      subscriber.error(refusal);
    }, 0);
  }

  #expiryOf(queued: Queued, maxWaitMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#expire(queued);
    }, maxWaitMs);
  }

  #next(among: readonly Priority[]): Queued | undefined {
    let next: Queued | undefined;
    for (const [client, line] of this.#waiting) {
      const first = line.first(client.free > 0 ? among : urgentOnly)?.waiter;
      if (first === undefined || (first.priority === 'urgent' && client.urgentFree === 0)) continue;
      if (next === undefined || byTurn(first, next, among) < 0) next = first;
    }
    return next;
  }

  #grant(queued: Queued, leases: Leases, isProbe: boolean): void {
    const { arrival, client, priority, subscriber } = queued;
    this.#leave(queued);
    this.#sinceBackground = priority === 'background' ? 0 : this.#sinceBackground + 1;
    leases.take();
    this.#used += 1;
    this.#rate.count(performance.now());
    const probe = isProbe ? this.#coolDown.startProbe(performance.now()) : undefined;
    client.enter();
    const { starts: coolDowns, incidents } = this.#coolDown;
    const grant: Grant = { arrival, client, priority, leases, probe, coolDowns, incidents, isReleased: false };
    this.#granting = grant;
    try {
      subscriber.next(this.#permitOf(grant));
      subscriber.complete();
    } catch (error) {
      // It may have sent its request before.
      this.#release(grant, 'unknown');
      throwError(() => error).subscribe();
    } finally {
      this.#granting = undefined;
      this.#turnLeft = undefined;
    }
  }

  #permitOf(grant: Grant): Permit {
    const release = (use: PermitUse, retryAfterMs?: number) => {
      this.#release(grant, use, retryAfterMs);
    };
    this.#lost.register(release, grant, grant);
    return { release };
  }

  /** Whose turn the request has: of one who gave a permit back that it was just granted, to make this request. */
  #takeTurnOf({ client, priority }: PermitRequest): Grant | undefined {
    const turn = this.#turnLeft;
    if (turn?.client !== client || turn.priority !== priority) return undefined;
    this.#turnLeft = undefined;
    return turn;
  }

  #release(grant: Grant, use: PermitUse, retryAfterMs?: number): void {
    if (grant.isReleased) return;
    grant.isReleased = true;
    this.#lost.unregister(grant);
    const { client, probe, coolDowns } = grant;
    if (use === 'unsent' && this.#granting === grant) this.#turnLeft = grant;
    if (use === 'unsent' && probe !== undefined) this.#coolDown.cancelProbe(probe);
    this.#putBack(grant, use, retryAfterMs);
    if (use === 'responded' && probe !== undefined && coolDowns === this.#coolDown.starts) this.endCoolDown();
    client.leave();
  }

  #putBack({ leases, incidents }: Grant, use: PermitUse, retryAfterMs: number | undefined): void {
    switch (use) {
      case 'unsent':
        this.#used -= 1;
        leases.putBackUnused();
        this.pump();
        return;
      case 'rate-limited': {
        const ms = this.startCoolDown(retryAfterMs, incidents);
        this.#source?.announceCoolDown(ms);
        this.#onCoolDown(ms);
        this.#returns.after(this.#forgetMs, leases);
        return;
      }
      case 'responded':
        this.#returns.after(this.#forgetMs, leases);
        return;
      // Callers without types may give it back in other words: it may have been used.
      default:
        this.#returns.after(this.#forgetMs + this.terms.lateArrivalMs, leases);
    }
  }

  #enter(queued: Queued, isFirst: boolean): void {
    const { client } = queued;
    const line = this.#lines.get(client) ?? new WaitingLine<Queued>();
    this.#lines.set(client, line);
    this.#waiting.set(client, line);
    queued.place = isFirst ? line.joinFirst(queued) : line.join(queued);
    this.#queued[queued.priority] += 1;
  }

  /** False when it had left before. */
  #leave(queued: Queued): boolean {
    const { client, place, priority, expiry } = queued;
    const line = this.#waiting.get(client);
    clearTimeout(expiry);
    if (place === undefined || line === undefined) return false;
    queued.place = undefined;
    line.leave(place);
    if (line.length === 0) this.#waiting.delete(client);
    this.#queued[priority] -= 1;
    if (this.#waiting.size === 0) this.#rest();
    return true;
  }

  #expire(queued: Queued): void {
    const { client, endpoint, maxWaitMs = 0, priority, subscriber } = queued;
    const isClosed = this.#coolDown.remainingMs(performance.now()) > 0;
    const waitedFor = isClosed ? 'limit' : (client.blockedBy(priority === 'urgent') ?? 'limit');
    if (this.#leave(queued)) subscriber.error(new QueueTimeoutError(endpoint, this.terms.name, maxWaitMs, waitedFor));
  }

  /** How many wait that are as urgent, or more: the less urgent ones do not shut them out. */
  #upTo(priority: Priority): number {
    const { urgent, normal, background } = this.#queued;
    return urgent + (priority === 'urgent' ? 0 : normal) + (priority === 'background' ? background : 0);
  }

  /** Asks for as many permits as could be used now. */
  #want(): void {
    const source = this.#source;
    if (source === undefined) return;
    const now = performance.now();
    const isOpen = this.#coolDown.maxInUse(now) > this.#used;
    let sendable = 0;
    for (const [client, line] of this.#waiting) {
      const urgent = line.urgent === 0 ? 0 : Math.min(line.urgent, client.urgentFree);
      const all = urgent + Math.min(line.length - line.urgent, Math.max(0, client.free - urgent));
      if (all < line.length) client.wakeWhenFree(this);
      sendable += all;
    }
    const probes = this.#mayProbe(now) ? 1 : 0;
    source.main.want(isOpen ? sendable : Math.min(sendable, probes));
    source.reserve?.want(isOpen ? this.#queued.urgent : probes);
  }

  /** Keeps the process alive while anyone waits: what they wait for are timers that do not. */
  #lookAfterWaiting(): void {
    this.#check ??= setInterval(() => {
      this.#source?.check();
      this.pump();
    }, checkEveryMs);
  }

  #rest(): void {
    clearInterval(this.#check);
    clearTimeout(this.#opening?.timer);
    this.#check = undefined;
    this.#opening = undefined;
  }

  #waitForOpening(now: number): void {
    if (this.#waiting.size === 0) return;
    const openingMs = Math.max(Math.ceil(this.#coolDown.remainingMs(now)), openingStepMs);
    const probeMs = this.#queued.urgent === 0 ? 0 : Math.ceil(this.#coolDown.nextProbeInMs(now));
    const waitMs = Math.min(openingMs, probeMs === 0 ? Number.POSITIVE_INFINITY : probeMs, maxTimerMs);
    if (this.#opening !== undefined && this.#opening.at <= now + waitMs) return;
    clearTimeout(this.#opening?.timer);
    const timer = setTimeout(() => {
      this.#opening = undefined;
      this.pump();
    }, waitMs);
    this.#opening = { timer, at: now + waitMs };
  }
}

/** Callers without types may say anything, and so may other processes. */
function isDuration(ms: number | undefined): ms is number {
  return Number.isFinite(ms) && Number(ms) >= 0;
}
