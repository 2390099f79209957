// Grants permits. A request takes a permit of each of its rate limits at once, when all of them are available and one
// more request of its client may be in flight: in the tick of its subscription, or when its turn comes.
import type { Subscriber } from 'rxjs';
import { QueueFullError, QueueTimeoutError, SynchronousErrors } from '../errors/index.js';
import { Queue, WaitingRequest, type PermitRequest } from './queue.js';
import type { Permit, PermitUse, RateLimiter, TakenPermit } from './rate-limiter.js';

/** While requests wait, permits are requested at least this often: a clock that was set is noticed then. */
const checkEveryMs = 1000;

type OnRelease = (
  terms: PermitRequest,
  taken: readonly TakenPermit[],
  use: PermitUse,
  retryAfterMs: number | undefined,
) => void;

/** A permit of each rate limit of a request. */
class Grant implements Permit {
  readonly #terms: PermitRequest;
  readonly #arrival: number;
  readonly #taken: readonly TakenPermit[];
  readonly #onRelease: OnRelease;
  #use: PermitUse | 'held' = 'held';

  constructor(terms: PermitRequest, arrival: number, onRelease: OnRelease) {
    const now = performance.now();
    this.#terms = terms;
    this.#arrival = arrival;
    this.#taken = terms.limiters.map((limiter) => limiter.take(terms.priority, now));
    this.#onRelease = onRelease;
  }

  /** A property: a subscriber may destructure the permit. */
  readonly release = (use: PermitUse, retryAfterMs?: number): void => {
    if (this.#use !== 'held') return;
    this.#use = use;
    this.#onRelease(this.#terms, this.#taken, use, retryAfterMs);
  };

  /** The turn of a subscriber that released its permit unsent just now, for a request of at least the same rate limits. */
  turnFor({ client, limiters, priority }: PermitRequest): number | undefined {
    const own = this.#terms;
    if (this.#use !== 'unsent' || own.client !== client || own.priority !== priority) return undefined;
    return own.limiters.every((limiter) => limiters.includes(limiter)) ? this.#arrival : undefined;
  }
}

export class Dispatcher {
  readonly #queue = new Queue();
  /** New requests, for which it is not decided yet whether they get a permit at once. */
  readonly #joining: WaitingRequest[] = [];
  readonly #refusals = new SynchronousErrors();
  /** A subscriber may call back while it is granted its permit: that is served after the current grant, not within. */
  #isBusy = false;
  /** Whether more requests may have become sendable meanwhile. */
  #isChanged = false;
  /** Rate limits whose permits or requests have changed. */
  readonly #changed = new Set<RateLimiter>();
  #arrivals = 0;
  /** The permit that is being emitted to its subscriber. */
  #granting: Grant | undefined;
  /**
   * Runs until the next step of a cool-down, the next free nonce or the next check. It keeps the process alive while a
   * request waits: the timers of returning permits do not.
   */
  #timer: { readonly handle: NodeJS.Timeout; readonly at: number } | undefined;
  readonly #onCoolDown: (limiter: RateLimiter) => void;

  constructor(onCoolDown: (limiter: RateLimiter) => void) {
    this.#onCoolDown = onCoolDown;
  }

  /** Grants a permit of each rate limit, now or in turn. The teardown takes the request out of the queue. */
  acquire(terms: PermitRequest, subscriber: Subscriber<Permit>): (() => void) | undefined {
    const { limiters } = terms;
    this.#arrivals += 1;
    const arrival = this.#arrivals;
    if (!this.#isBusy && !subscriber.closed && canSendNow(terms)) {
      this.#isBusy = true;
      try {
        this.#grant(terms, arrival, subscriber);
      } finally {
        this.#isBusy = false;
      }
      if (!this.#queue.isEmpty) this.pump(limiters);
      else for (const limiter of limiters) limiter.want();
      return undefined;
    }
    const request = new WaitingRequest(terms, this.#takeTurn(terms) ?? arrival, subscriber);
    this.#queue.add(request);
    this.#joining.push(request);
    this.pump(limiters);
    return () => {
      if (this.#leave(request)) this.pump(limiters);
    };
  }

  /** Grants every permit that can be granted, in turn, and requests the permits that could be used. */
  pump(changed: readonly RateLimiter[] = []): void {
    for (const limiter of changed) this.#changed.add(limiter);
    this.#isChanged = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    // A subscriber that subscribes again without end overflows the stack: the scheduler of all clients goes on.
    try {
      while (this.#isChanged) {
        this.#isChanged = false;
        this.#serve();
        this.#requestPermits();
        this.#refuseOrWait();
      }
    } finally {
      this.#isBusy = false;
    }
    this.#waitForMore();
  }

  #serve(): void {
    for (;;) {
      const now = performance.now();
      const request = this.#queue.next(now);
      if (request === undefined) return;
      const { arrival, expiresAt, subscriber, timer } = request;
      // A subscriber that got its permit before has unsubscribed a request whose teardown acquire() has not returned yet:
      // its permit would never be released. A request that gets its permit at once was not queued, and has not expired.
      if (subscriber.closed) this.#leave(request);
      else if (timer !== undefined && expiresAt <= now) this.#expire(request);
      else {
        this.#queue.countTurn(request);
        this.#leave(request);
        this.#grant(request, arrival, subscriber);
      }
    }
  }

  #refuseOrWait(): void {
    // The last requests fail first, because they exceed the bound. A request that is made while another fails is
    // handled in the next round: there may be a permit for it.
    for (const request of this.#joining.splice(0).reverse()) {
      if (request.lane === undefined) continue;
      const { endpoint, limiters, maxWaitMs, priority } = request;
      const full = limiters.find((limiter) => limiter.isFullFor(priority));
      if (full !== undefined) {
        this.#leave(request);
        // A subscriber that retries synchronously without end must not keep timers from running.
        this.#refusals.fail(request.subscriber, new QueueFullError(endpoint, full.terms.name, full.terms.maxQueued));
      } else if (maxWaitMs !== undefined)
        request.timer = setTimeout(() => {
          this.#expire(request);
          this.pump(limiters);
        }, maxWaitMs);
    }
  }

  /** Also for a request that the queue refuses: with `maxQueued: 0`, the next one finds permits. */
  #requestPermits(): void {
    const now = performance.now();
    const demand = this.#queue.demand(now);
    for (const limiter of demand.keys()) this.#changed.add(limiter);
    for (const limiter of this.#changed) limiter.want(demand.get(limiter), now);
    this.#changed.clear();
  }

  /** Serves the requests that wait when something but a permit may allow more. */
  #waitForMore(): void {
    if (this.#queue.isEmpty) {
      clearTimeout(this.#timer?.handle);
      this.#timer = undefined;
      return;
    }
    const now = performance.now();
    const at = now + Math.min(Math.ceil(this.#queue.nextInMs(now)), checkEveryMs);
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    clearTimeout(this.#timer?.handle);
    const handle = setTimeout(() => {
      this.#timer = undefined;
      this.pump();
    }, at - now);
    this.#timer = { handle, at };
  }

  #expire(request: WaitingRequest): void {
    const { client, endpoint, limiters, maxWaitMs = 0, priority, subscriber } = request;
    const now = performance.now();
    const isUrgent = priority === 'urgent';
    const cooling = limiters.find((limiter) => limiter.coolDownMs(now) > 0);
    const block = cooling === undefined ? client.blockedBy(isUrgent) : undefined;
    const lacking = cooling ?? limiters.find((limiter) => limiter.available(isUrgent, now) <= 0) ?? limiters.at(-1);
    this.#leave(request);
    subscriber.error(new QueueTimeoutError(endpoint, lacking?.terms.name ?? '', maxWaitMs, block));
  }

  /** Returns false when the request did not wait any more. */
  #leave(request: WaitingRequest): boolean {
    clearTimeout(request.timer);
    return this.#queue.remove(request);
  }

  #grant(terms: PermitRequest, arrival: number, subscriber: Subscriber<Permit>): void {
    const grant = new Grant(terms, arrival, this.#released);
    terms.client.enter();
    this.#granting = grant;
    try {
      subscriber.next(grant);
      subscriber.complete();
    } catch (error) {
      grant.release('unknown');
      throw error;
    } finally {
      this.#granting = undefined;
    }
  }

  #takeTurn(terms: PermitRequest): number | undefined {
    const turn = this.#granting?.turnFor(terms);
    if (turn !== undefined) this.#granting = undefined;
    return turn;
  }

  readonly #released: OnRelease = (terms, taken, use, retryAfterMs) => {
    // A 429 does not say which limit was exceeded: all cool down, before a listener can request a permit.
    for (const one of taken) one.limiter.putBack(one, use, retryAfterMs);
    terms.client.leave();
    if (use === 'rate-limited') for (const { limiter } of taken) this.#onCoolDown(limiter);
    if (!this.#queue.isEmpty) this.pump(terms.limiters);
  };
}

/** Whether nothing keeps a new request waiting: no request waits for its rate limits, and all permits are in hand. */
function canSendNow({ client, limiters, priority }: PermitRequest): boolean {
  const isUrgent = priority === 'urgent';
  const now = performance.now();
  const isAvailable = limiters.every((limiter) => !limiter.hasQueued && limiter.available(isUrgent, now) > 0);
  return isAvailable && client.free(isUrgent) > 0;
}
