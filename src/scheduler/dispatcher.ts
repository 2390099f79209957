// Grants permits: each request gets one permit of every rate limit that it needs, all or none, when its turn comes. It
// never holds a permit of one rate limit while it waits for another.
import { QueueFullError, QueueTimeoutError, SynchronousErrors } from '../errors/index.js';
import { Grants, type PermitRequest } from './grants.js';
import { LimitGroups } from './limit-groups.js';
import { PermitQueue, type QueuedRequest } from './permit-queue.js';
import type { RateLimiter } from './rate-limiter.js';
import { lackingLimit, nextInTurn, nothingKept, oweTurns, type Turn } from './turns.js';

/** The queue of the rate limits on the way to this node, and the nodes that lead on from it. */
interface QueueNode {
  queue?: PermitQueue;
  readonly next: WeakMap<RateLimiter, QueueNode>;
}

export class Dispatcher {
  readonly #queues: QueueNode = { next: new WeakMap() };
  readonly #groups = new LimitGroups();
  readonly #grants = new Grants((taken) => {
    this.#pump(taken.map(({ limiter }) => limiter));
  });
  /** New requests, for which it is not decided yet whether they get a permit at once. */
  readonly #joining: QueuedRequest[] = [];
  readonly #refusals = new SynchronousErrors();
  /** The rate limits of which permits may have become free. */
  readonly #touched = new Set<RateLimiter>();
  /** A subscriber may call back while it is granted its permit: that is served after the current grant, not within. */
  #isPumping = false;
  #pumpsRequested = 0;

  /**
   * Grants the request a permit of each rate limit, now or when its turn comes. The teardown takes the request out of
   * the queue.
   */
  join(limiters: readonly RateLimiter[], request: PermitRequest): (() => void) | undefined {
    if (this.#grantAtOnce(limiters, request)) return undefined;
    const queue = this.#queueOf(limiters);
    const wasEmpty = queue.isEmpty;
    const queued = queue.join(request, this.#grants.takeTurnOf(request, limiters));
    if (wasEmpty) this.#groups.update(queue);
    this.#joining.push(queued);
    this.#pump(limiters);
    return () => {
      this.#leave(queued);
    };
  }

  /** Grants every permit that can be granted. */
  pump(limiter: RateLimiter): void {
    this.#touched.add(limiter);
    this.#run();
  }

  #pump(limiters: readonly RateLimiter[]): void {
    for (const limiter of limiters) this.#touched.add(limiter);
    this.#run();
  }

  #run(): void {
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
        this.#refuseOrWait();
      } while (requested !== this.#pumpsRequested);
    } finally {
      this.#touched.clear();
      this.#isPumping = false;
    }
  }

  /** Where no request waits and all permits are in hand, the queue is not needed. */
  #grantAtOnce(limiters: readonly RateLimiter[], request: PermitRequest): boolean {
    const { client, priority, subscriber } = request;
    const isUrgent = priority === 'urgent';
    if (this.#isPumping || subscriber.closed || (isUrgent ? client.urgentFree : client.free) === 0) return false;
    const now = performance.now();
    for (const limiter of limiters) if (limiter.hasQueued || limiter.grantable(isUrgent, now) === 0) return false;
    this.#isPumping = true;
    try {
      this.#grant(request, limiters, nothingKept, now);
      for (const limiter of limiters) limiter.requestPermits(now);
    } finally {
      this.#isPumping = false;
    }
    if (this.#touched.size > 0) this.#run();
    return true;
  }

  /** Grants the next permit; false when none can be granted now. */
  #grantNext(): boolean {
    const waiting = this.#groups.waitingFor(this.#touched);
    if (waiting.length === 0) return false;
    const now = performance.now();
    const turn = nextInTurn(waiting, now);
    if (turn === undefined) return false;
    const { queued } = turn;
    // A subscriber that got its permit before has unsubscribed a request whose teardown join() has not returned yet: its
    // permit would never be released. A request that gets its permit at once was not queued, and has not expired.
    if (queued.subscriber.closed) this.#leave(queued);
    else if (queued.timer !== undefined && queued.expiresAt <= now) this.#expire(queued);
    else this.#grantQueued(turn, waiting, now);
    return true;
  }

  #grantQueued({ queued, kept }: Turn, waiting: readonly PermitQueue[], now: number): void {
    const { limiters } = queued.queue;
    oweTurns(queued, waiting);
    this.#leave(queued);
    for (const limiter of limiters) this.#touched.add(limiter);
    this.#grant(queued, limiters, kept, now);
  }

  #grant(
    request: PermitRequest,
    limiters: readonly RateLimiter[],
    kept: ReadonlyMap<RateLimiter, number>,
    now: number,
  ): void {
    const taken = limiters.map((limiter) => limiter.take(request.priority, kept.get(limiter) ?? 0, now));
    this.#grants.grant(request, taken);
  }

  /**
   * Requests the permits that could be used now. Of a rate limit that other processes share, no more than the other rate
   * limits of the requests allow: a permit in hand is one that another process cannot use. While another rate limit
   * lacks permits, the queues that wait for it want the same ones: each for the time when it gets them.
   */
  #requestPermits(): void {
    const now = performance.now();
    const wantedLater = new Map<RateLimiter, number>();
    for (const queue of this.#groups.waitingFor(this.#touched)) {
      const { limiters } = queue;
      const { all, urgent } = queue.countSendable();
      for (const limiter of limiters) {
        let wanted = all;
        if (limiter.isShared) {
          const others = limiters.filter((other) => other !== limiter);
          for (const other of others) wanted = Math.min(wanted, other.countSoonFree(now));
          if (others.some((other) => other.grantable(true, now) === 0)) {
            const before = wantedLater.get(limiter) ?? 0;
            wanted = Math.max(0, wanted - before);
            wantedLater.set(limiter, before + wanted);
          }
        }
        limiter.want(wanted, Math.min(urgent, wanted));
        this.#touched.add(limiter);
      }
    }
    for (const limiter of this.#touched) limiter.requestPermits(now);
  }

  /** Queues the new requests that got no permit, or fails them when the queue is full. */
  #refuseOrWait(): void {
    if (this.#joining.length === 0) return;
    // The last requests fail first, because they exceed the bound. A request that is made while another fails is
    // handled in the next round: there may be a permit for it.
    for (const queued of this.#joining.splice(0).reverse()) {
      if (queued.place === undefined) continue;
      const { endpoint, maxWaitMs, priority, queue } = queued;
      const full = queue.limiters.find((limiter) => limiter.isQueueFull(priority));
      if (full !== undefined) {
        this.#leave(queued);
        this.#refuse(queued, new QueueFullError(endpoint, full.terms.name, full.terms.maxQueued));
        continue;
      }
      for (const limiter of queue.limiters) limiter.keepAlive();
      if (maxWaitMs === undefined) continue;
      queued.timer = setTimeout(() => {
        this.#expire(queued);
      }, maxWaitMs);
    }
  }

  /** A subscriber that retries synchronously without end must not keep timers from running. */
  #refuse(queued: QueuedRequest, refusal: QueueFullError): void {
    const { subscriber } = queued;
    if (!this.#refusals.isOneTooMany()) {
      subscriber.error(refusal);
      return;
    }
    queued.timer = setTimeout(() => {
      subscriber.error(refusal);
    }, 0);
  }

  #expire(queued: QueuedRequest): void {
    const { client, endpoint, maxWaitMs = 0, priority, queue, subscriber } = queued;
    const now = performance.now();
    const cooling = queue.limiters.find((limiter) => limiter.isCoolingDown(now));
    const lacking = cooling ?? lackingLimit(queued, now);
    const block = cooling === undefined ? client.blockedBy(priority === 'urgent') : undefined;
    if (!this.#leave(queued)) return;
    subscriber.error(new QueueTimeoutError(endpoint, lacking?.terms.name ?? '', maxWaitMs, block ?? 'limit'));
  }

  /** Returns false when the request was not in the queue any more. */
  #leave(queued: QueuedRequest): boolean {
    const { queue, hasKept } = queued;
    if (!queue.leave(queued)) return false;
    if (queue.isEmpty) this.#groups.update(queue);
    // The permits that were kept for it go to those behind it.
    if (hasKept) this.#pump(queue.limiters);
    return true;
  }

  #queueOf(limiters: readonly RateLimiter[]): PermitQueue {
    let node = this.#queues;
    for (const limiter of limiters) {
      let next = node.next.get(limiter);
      if (next === undefined) {
        next = { next: new WeakMap() };
        node.next.set(limiter, next);
      }
      node = next;
    }
    if (node.queue === undefined) {
      this.#groups.connect(limiters);
      node.queue = new PermitQueue(limiters, (queue) => {
        this.#pump(queue.limiters);
      });
    }
    return node.queue;
  }
}
