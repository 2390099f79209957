// One limit group: those who wait, the permits there are, and who gets which. A permit is out from before its request is sent until a
// whole window after the answer: by then the exchange has forgotten the request, whatever the network did to it on the way.
import type { Subscriber } from 'rxjs';
import { ExpiredError, QueueFullError } from '../errors.js';
import { longestTimerMs } from '../longest-timer.js';
import { Closure } from './closure.js';
import { forgetMsOf } from './forget.js';
import type { InFlight, Waiting } from './in-flight.js';
import type { Leases } from './leases.js';
import type { PermitSource, PermitTerms } from './permit-source.js';
import type { Permit, PermitUse } from './permit.js';
import { Rate } from './rate.js';
import { Returns } from './returns.js';
import type { GroupUsage } from './usage.js';
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
}

/** A request that wants a permit. */
export interface PermitRequest extends Waiter {
  readonly endpoint: string;
  readonly client: InFlight;
  readonly expiresInMs: number | undefined;
  readonly subscriber: Subscriber<Permit>;
}

interface Queued extends PermitRequest {
  /** By `performance.now()`. */
  readonly expiresAt: number;
  place?: Place<Queued> | undefined;
  expiry?: NodeJS.Timeout;
}

export class LimitedGroup implements Waiting {
  readonly terms: GroupTerms;
  readonly #forgetMs: number;
  readonly #closure: Closure;
  readonly #returns: Returns<Leases>;
  readonly #rate = new Rate();
  readonly #onClosed: (ms: number) => void;
  readonly #lines = new WeakMap<InFlight, WaitingLine<Queued>>();
  /** The lines in which someone waits. */
  readonly #waiting = new Map<InFlight, WaitingLine<Queued>>();
  readonly #queued: Record<Priority, number> = { urgent: 0, normal: 0, background: 0 };
  #source: PermitSource | undefined;
  #used = 0;
  #sinceBackground = 0;
  #check: NodeJS.Timeout | undefined;
  #opening: NodeJS.Timeout | undefined;

  /** @param onClosed told when the exchange answered 429, and for how long the group is closed */
  constructor(terms: GroupTerms, onClosed: (ms: number) => void) {
    this.terms = terms;
    this.#forgetMs = forgetMsOf(terms.windowMs);
    this.#closure = new Closure(terms.limit, terms.windowMs);
    this.#returns = new Returns(terms.windowMs, (slot) => {
      for (const [leases, count] of slot) {
        this.#used -= count;
        leases.putBack(count);
      }
      this.pump();
    });
    this.#onClosed = onClosed;
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
    const { priority, expiresInMs, endpoint, subscriber } = request;
    const queued: Queued = { ...request, expiresAt: performance.now() + (expiresInMs ?? Number.POSITIVE_INFINITY) };
    this.#enter(queued);
    this.pump();
    if (queued.place === undefined) return () => undefined;

    const { name, maxQueued } = this.terms;
    if (this.#upTo(priority) > maxQueued) {
      this.#leave(queued);
      subscriber.error(new QueueFullError(endpoint, name, maxQueued));
      return () => undefined;
    }
    this.#lookAfterWaiting();
    if (expiresInMs !== undefined) {
      queued.expiry = setTimeout(() => {
        this.#expire(queued);
      }, expiresInMs);
    }
    return () => {
      this.#leave(queued);
    };
  }

  firstOf(client: InFlight): Waiter | undefined {
    return this.#waiting.get(client)?.first()?.waiter;
  }

  pump(): void {
    for (;;) {
      const source = this.#source;
      if (source === undefined) return;
      if (this.#used >= this.#closure.allowed(performance.now())) {
        this.#waitForOpening();
        break;
      }
      const fromMain = source.main.available > 0;
      const leases = fromMain ? source.main : source.reserve;
      if (leases === undefined || leases.available === 0) break;
      const queued = this.#next(fromMain ? this.#turn() : urgentOnly);
      if (queued === undefined) break;
      // One who was granted before it may have unsubscribed it while it was joining: nobody would give its permit back.
      if (queued.subscriber.closed) this.#leave(queued);
      // One that is granted while it joins has not waited: it may be worth no wait at all.
      else if (queued.expiry !== undefined && queued.expiresAt <= performance.now()) this.#expire(queued);
      else this.#grant(queued, leases);
    }
    this.#want();
  }

  /** Closes the group, as after a 429. */
  close(ms: number): void {
    this.#closure.close(performance.now(), ms);
  }

  usage(): GroupUsage {
    const now = performance.now();
    const { name, limit, windowMs } = this.terms;
    const closedForMs = this.#closure.closedForMs(now);
    return {
      group: name,
      limit,
      windowMs,
      used: this.#used,
      free: Math.max(0, this.#source?.free() ?? 0),
      queued: { ...this.#queued },
      closedUntil: closedForMs === 0 ? undefined : Math.ceil(Date.now() + closedForMs),
      ratePerSecond: this.#rate.perSecond(now),
    };
  }

  /** The priorities in the order of their turn. */
  #turn(): readonly Priority[] {
    return this.#sinceBackground >= backgroundTurn - 1 ? backgroundFirst : priorities;
  }

  #next(among: readonly Priority[]): Queued | undefined {
    let next: Queued | undefined;
    for (const [client, line] of this.#waiting) {
      const first = line.first(among)?.waiter;
      if (first === undefined) continue;
      if (client.room > 0 && (next === undefined || byTurn(first, next, among) < 0)) next = first;
    }
    return next;
  }

  #grant(queued: Queued, leases: Leases): void {
    this.#leave(queued);
    this.#sinceBackground = queued.priority === 'background' ? 0 : this.#sinceBackground + 1;
    leases.take();
    this.#used += 1;
    this.#rate.count(performance.now());
    queued.client.enter();
    let released = false;
    const release = (use: PermitUse, retryAfterMs?: number) => {
      if (released) return;
      released = true;
      this.#release(leases, use, retryAfterMs);
      queued.client.leave();
    };
    queued.subscriber.next({ release });
    queued.subscriber.complete();
  }

  #release(leases: Leases, use: PermitUse, retryAfterMs: number | undefined): void {
    switch (use) {
      case 'unsent':
        this.#used -= 1;
        leases.putBack(1);
        this.pump();
        return;
      case 'unknown':
        this.#returns.after(this.#forgetMs + this.terms.lateArrivalMs, leases);
        return;
      case 'rate-limited': {
        const ms = retryAfterMs ?? this.#forgetMs;
        this.close(ms);
        this.#source?.announceClosed(ms);
        this.#onClosed(ms);
        this.#returns.after(this.#forgetMs, leases);
        return;
      }
      case 'answered':
        this.#returns.after(this.#forgetMs, leases);
    }
  }

  #enter(queued: Queued): void {
    const { client } = queued;
    const line = this.#lines.get(client) ?? new WaitingLine<Queued>();
    this.#lines.set(client, line);
    this.#waiting.set(client, line);
    queued.place = line.join(queued);
    this.#queued[queued.priority] += 1;
  }

  /** False when it had left before. */
  #leave(queued: Queued): boolean {
    const { client, place, priority, expiry } = queued;
    const line = this.#waiting.get(client);
    if (place === undefined || line === undefined) return false;
    queued.place = undefined;
    line.leave(place);
    if (line.length === 0) this.#waiting.delete(client);
    this.#queued[priority] -= 1;
    clearTimeout(expiry);
    if (this.#waiting.size === 0) this.#rest();
    return true;
  }

  #expire(queued: Queued): void {
    const { endpoint, expiresInMs = 0, subscriber } = queued;
    if (this.#leave(queued)) subscriber.error(new ExpiredError(endpoint, this.terms.name, expiresInMs));
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
    const isOpen = this.#closure.allowed(performance.now()) > this.#used;
    let sendable = 0;
    for (const [client, line] of this.#waiting) {
      sendable += Math.min(line.length, client.room);
      if (line.length > client.room) client.await(this);
    }
    source.main.want(isOpen ? sendable : 0);
    source.reserve?.want(isOpen ? this.#queued.urgent : 0);
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
    clearTimeout(this.#opening);
    this.#check = undefined;
    this.#opening = undefined;
  }

  #waitForOpening(): void {
    if (this.#waiting.size === 0) return;
    const closedForMs = Math.min(this.#closure.closedForMs(performance.now()), longestTimerMs);
    this.#opening ??= setTimeout(
      () => {
        this.#opening = undefined;
        this.pump();
      },
      Math.max(Math.ceil(closedForMs), openingStepMs),
    );
  }
}
