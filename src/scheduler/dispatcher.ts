// Grants permits. A request takes a permit of each of its rate limits, narrowest first, in the order of arrival in each:
// so 5,000 requests that wait for a narrow limit hold none of the wide one, and no two requests wait for each other.
import { throwError, type Subscriber } from 'rxjs';
import type { Priority } from '../endpoint/index.js';
import { QueueFullError, QueueTimeoutError, SynchronousErrors } from '../errors/index.js';
import type { InFlight } from './in-flight.js';
import type { Permit, PermitUse } from './permit.js';
import { stepBack, type PermitRequest, type RateLimiter, type TakenPermit } from './rate-limiter.js';

/** Which permit is requested. */
export interface PermitTerms {
  /** Narrowest first; always the same list for the same rate limits. */
  readonly limiters: readonly RateLimiter[];
  readonly endpoint: string;
  readonly priority: Priority;
  readonly maxWaitMs: number | undefined;
  readonly client: InFlight;
}

/** A granted permit. It must not reference its owner: an owner that was garbage-collected would never be noticed. */
interface Grant {
  readonly arrival: number;
  readonly client: InFlight;
  readonly priority: Priority;
  readonly taken: readonly TakenPermit[];
  isReleased: boolean;
}

export class Dispatcher {
  /** Rate limits of which permits may be granted. */
  readonly #toPump = new Set<RateLimiter>();
  /** New requests, for which it is not decided yet whether they get a permit at once. */
  readonly #joining: PermitRequest[] = [];
  readonly #refusals = new SynchronousErrors();
  /** A permit whose owner threw or lost it returns by itself: its request may have been sent. */
  readonly #lost = new FinalizationRegistry<Grant>((grant) => {
    this.#release(grant, 'unknown');
  });
  /** A subscriber may call back while it is granted its permit: that is served after the current grant, not within. */
  #isBusy = false;
  #arrivals = 0;
  /** The permit that is being emitted to its subscriber. */
  #granting: Grant | undefined;
  /**
   * The permit that its subscriber released unsent while it was emitted: a request made at that moment has its turn.
   */
  #turnLeft: Grant | undefined;

  /**
   * Grants the request a permit of each rate limit, now or when its turn comes. The teardown takes the request out of
   * the queue.
   */
  acquire(terms: PermitTerms, subscriber: Subscriber<Permit>): (() => void) | undefined {
    const { limiters, endpoint, priority, maxWaitMs, client } = terms;
    this.#arrivals += 1;
    const arrival = this.#arrivals;
    const taken = this.#isBusy || subscriber.closed ? [] : take(limiters, priority, client);
    if (taken.length === limiters.length) {
      this.#isBusy = true;
      this.#grant({ arrival, client, priority, taken, isReleased: false }, subscriber);
      this.#isBusy = false;
      if (this.#toPump.size > 0) this.#run();
      return undefined;
    }
    const request: PermitRequest = {
      endpoint,
      client,
      priority,
      limiters,
      maxWaitMs,
      subscriber,
      arrival: this.#takeTurn(terms) ?? arrival,
      taken,
      lane: undefined,
      before: undefined,
      after: undefined,
      expiresAt: maxWaitMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + maxWaitMs,
      timer: undefined,
    };
    this.#queue(request);
    return () => {
      if (this.#leave(request)) this.#run();
    };
  }

  /** Grants every permit of the rate limit that can be granted. */
  pump(limiter: RateLimiter): void {
    this.#toPump.add(limiter);
    this.#run();
  }

  #queue(request: PermitRequest): void {
    const { limiters, priority, taken } = request;
    for (const { queue } of limiters) queue.queued[priority] += 1;
    this.#joining.push(request);
    for (const { limiter } of taken) this.#toPump.add(limiter);
    const next = limiters[taken.length];
    if (next === undefined) return;
    next.queue.join(request);
    this.pump(next);
  }

  #run(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      do {
        for (const limiter of this.#toPump) this.#pump(limiter);
        this.#refuseOrWait();
      } while (this.#toPump.size > 0);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Grants every permit of one rate limit, in turn, and requests the number that could be used. */
  #pump(limiter: RateLimiter): void {
    this.#toPump.delete(limiter);
    limiter.wakeWaiting();
    for (;;) {
      const now = performance.now();
      const request = limiter.next(now);
      if (request === undefined) {
        // Also for a request that the queue refuses: with `maxQueued: 0`, the next one finds permits.
        limiter.requestPermits(now);
        return;
      }
      this.#advance(request, now);
    }
  }

  /** The request has one more permit: it waits for that of its next rate limit, or has them all. */
  #advance(request: PermitRequest, now: number): void {
    const { arrival, client, expiresAt, limiters, priority, subscriber, taken, timer } = request;
    const next = limiters[taken.length];
    // A subscriber that got its permit before has unsubscribed a request whose teardown acquire() has not returned yet:
    // its permit would never be released. A request that gets its permit at once was not queued, and has not expired.
    if (subscriber.closed) this.#leave(request);
    else if (timer !== undefined && expiresAt <= now) this.#expire(request);
    else if (next !== undefined) {
      next.queue.join(request);
      this.#pump(next);
    } else if (taken.some(({ usableUntil }) => usableUntil <= now)) stepBack(request);
    else {
      this.#leaveQueues(request);
      request.taken = [];
      this.#grant({ arrival, client, priority, taken, isReleased: false }, subscriber);
    }
  }

  /** Queues the new requests that got no permit, or fails them when the queue is full. */
  #refuseOrWait(): void {
    if (this.#joining.length === 0) return;
    // The last requests fail first, because they exceed the bound. A request that is made while another fails is
    // handled in the next round: there may be a permit for it.
    for (const request of this.#joining.splice(0).reverse()) {
      if (request.lane === undefined) continue;
      const { endpoint, limiters, maxWaitMs, priority } = request;
      const full = limiters.find(({ queue, terms }) => queue.lengthFor(priority) > terms.maxQueued);
      if (full !== undefined) {
        this.#leave(request);
        // A subscriber that retries synchronously without end must not keep timers from running.
        this.#refusals.fail(request.subscriber, new QueueFullError(endpoint, full.terms.name, full.terms.maxQueued));
        continue;
      }
      for (const limiter of limiters) limiter.keepAlive();
      if (maxWaitMs === undefined) continue;
      request.timer = setTimeout(() => {
        this.#expire(request);
        this.#run();
      }, maxWaitMs);
    }
  }

  #expire(request: PermitRequest): void {
    const { client, endpoint, lane, limiters, maxWaitMs = 0, priority, subscriber, taken } = request;
    const now = performance.now();
    const cooling = limiters.find((limiter) => limiter.isCoolingDown(now));
    const lacking = cooling ?? limiters[lane === undefined ? taken.length - 1 : taken.length];
    const block = cooling === undefined ? client.blockedBy(priority === 'urgent') : undefined;
    if (this.#leave(request))
      subscriber.error(new QueueTimeoutError(endpoint, lacking?.terms.name ?? '', maxWaitMs, block ?? 'limit'));
  }

  /** The permits that it has go to those behind it. Returns false when the request did not wait any more. */
  #leave(request: PermitRequest): boolean {
    clearTimeout(request.timer);
    const { lane, taken } = request;
    if (lane === undefined && taken.length === 0) return false;
    lane?.limiter.queue.leave(request);
    this.#leaveQueues(request);
    request.taken = [];
    for (const permit of taken) {
      permit.limiter.putBack(permit, 'unsent');
      this.#toPump.add(permit.limiter);
    }
    return true;
  }

  #leaveQueues({ limiters, priority, timer }: PermitRequest): void {
    clearTimeout(timer);
    for (const limiter of limiters) limiter.leaveQueue(priority);
  }

  /** Emits a permit to the request. */
  #grant(grant: Grant, subscriber: Subscriber<Permit>): void {
    const release = (use: PermitUse, retryAfterMs?: number) => {
      this.#release(grant, use, retryAfterMs);
    };
    grant.client.enter();
    this.#lost.register(release, grant, grant);
    this.#granting = grant;
    try {
      subscriber.next({ release });
      subscriber.complete();
    } catch (error) {
      // The subscriber may have sent its request before it threw.
      this.#release(grant, 'unknown');
      throwError(() => error).subscribe();
    }
    this.#granting = undefined;
    this.#turnLeft = undefined;
  }

  /**
   * The turn that a request inherits: it is made by a subscriber that released its permit unsent just now, and needs at
   * least the same rate limits.
   */
  #takeTurn({ client, limiters, priority }: PermitTerms): number | undefined {
    const turn = this.#turnLeft;
    if (turn?.client !== client || turn.priority !== priority) return undefined;
    if (!turn.taken.every(({ limiter }) => limiters.includes(limiter))) return undefined;
    this.#turnLeft = undefined;
    return turn.arrival;
  }

  #release(grant: Grant, use: PermitUse, retryAfterMs?: number): void {
    if (grant.isReleased) return;
    grant.isReleased = true;
    this.#lost.unregister(grant);
    const { client, taken } = grant;
    for (const one of taken) one.limiter.putBack(one, use);
    if (use === 'rate-limited') this.#coolDown(taken, retryAfterMs);
    if (use === 'unsent') {
      if (this.#granting === grant) this.#turnLeft = grant;
      for (const { limiter } of taken) this.#toPump.add(limiter);
      this.#run();
    }
    client.leave();
  }

  /** A 429 does not say which limit was exceeded: all cool down, before a listener can request a permit. */
  #coolDown(taken: readonly TakenPermit[], retryAfterMs: number | undefined): void {
    const wasBusy = this.#isBusy;
    this.#isBusy = true;
    const started = taken.map(({ limiter, incidents }) => ({
      limiter,
      ms: limiter.startCoolDown(retryAfterMs, incidents),
    }));
    this.#isBusy = wasBusy;
    for (const { limiter, ms } of started) {
      limiter.announceCoolDown(ms);
      this.#toPump.add(limiter);
    }
    this.#run();
  }
}

/**
 * The permits that are free: of each rate limit up to the first that has none. Where no request waits and all permits
 * are in hand, the queue is not needed.
 */
function take(limiters: readonly RateLimiter[], priority: Priority, client: InFlight): readonly TakenPermit[] {
  const isUrgent = priority === 'urgent';
  const taken: TakenPermit[] = [];
  if (client.free(isUrgent) === 0) return taken;
  const now = performance.now();
  if (limiters.length > 1) for (const limiter of limiters) if (!limiter.isOpen(isUrgent, now)) return taken;
  for (const limiter of limiters) {
    const permit = limiter.takeAtOnce(priority, now);
    if (permit === undefined) break;
    taken.push(permit);
  }
  return taken;
}
