// The queue of the requests that need the same rate limits. Each client has a queue of its own in it, because a client
// with too many requests in flight must not delay the others.
import { byTurn, ClientQueue, type Place, type Priority, type Waiter } from './client-queue.js';
import type { PermitRequest } from './grants.js';
import type { InFlight, Waiting } from './in-flight.js';
import type { RateLimiter } from './rate-limiter.js';

const urgentOnly: readonly Priority[] = ['urgent'];

/** A request in the queue. */
export interface QueuedRequest extends PermitRequest {
  readonly queue: PermitQueue;
  /** By `performance.now()`. */
  readonly expiresAt: number;
  /** Absent when the request has left the queue. */
  place: Place<QueuedRequest> | undefined;
  /** Ends its wait, or emits its error. */
  timer: NodeJS.Timeout | undefined;
  /** Whether permits are kept for it while it waits for others. */
  hasKept: boolean;
}

/** How many requests their clients could send now. */
export interface Sendable {
  readonly all: number;
  readonly urgent: number;
}

export class PermitQueue implements Waiting {
  /** The rate limits whose permits each request needs. */
  readonly limiters: readonly RateLimiter[];
  /** Rate limits in which a younger background request of another queue took the turn of the first one here. */
  readonly owed = new Set<RateLimiter>();
  readonly #onFree: (queue: PermitQueue) => void;
  readonly #clientQueues = new WeakMap<InFlight, ClientQueue<QueuedRequest>>();
  /** The queues of the clients that have queued requests. */
  readonly #waiting = new Map<InFlight, ClientQueue<QueuedRequest>>();
  #background = 0;

  /** @param onFree called when a client that had too many requests in flight can send again */
  constructor(limiters: readonly RateLimiter[], onFree: (queue: PermitQueue) => void) {
    this.limiters = limiters;
    this.#onFree = onFree;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  get hasBackground(): boolean {
    return this.#background > 0;
  }

  /** @param turn the turn that the request inherits: it goes before the others of its client and priority */
  join(request: PermitRequest, turn: Waiter | undefined): QueuedRequest {
    const { client, endpoint, maxWaitMs, priority, subscriber } = request;
    // Without a spread, which takes longer than all the rest.
    const queued: QueuedRequest = {
      endpoint,
      client,
      priority,
      maxWaitMs,
      subscriber,
      queue: this,
      arrival: turn?.arrival ?? request.arrival,
      expiresAt: maxWaitMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + maxWaitMs,
      place: undefined,
      timer: undefined,
      hasKept: false,
    };
    const queue = this.#clientQueues.get(client) ?? new ClientQueue<QueuedRequest>();
    this.#clientQueues.set(client, queue);
    this.#waiting.set(client, queue);
    queued.place = turn === undefined ? queue.join(queued) : queue.joinFirst(queued);
    if (priority === 'background') this.#background += 1;
    for (const limiter of this.limiters) limiter.enterQueue(priority);
    return queued;
  }

  /** Returns false when the request was not in the queue any more. */
  leave(queued: QueuedRequest): boolean {
    const { client, place, priority, timer } = queued;
    const queue = this.#waiting.get(client);
    clearTimeout(timer);
    if (place === undefined || queue === undefined) return false;
    queued.place = undefined;
    queue.leave(place);
    if (queue.length === 0) this.#waiting.delete(client);
    if (priority === 'background') this.#background -= 1;
    if (this.#background === 0) this.owed.clear();
    for (const limiter of this.limiters) limiter.leaveQueue(priority);
    return true;
  }

  /** The next request of this client. */
  firstOf(client: InFlight): Waiter | undefined {
    return this.#waiting.get(client)?.first()?.waiter;
  }

  /** The next request of these priorities that its client can send now. */
  next(among: readonly Priority[]): QueuedRequest | undefined {
    let next: QueuedRequest | undefined;
    for (const [client, queue] of this.#waiting) {
      const first = queue.first(client.free > 0 ? among : urgentOf(among))?.waiter;
      if (first === undefined || (first.priority === 'urgent' && client.urgentFree === 0)) continue;
      if (next === undefined || byTurn(first, next, among) < 0) next = first;
    }
    return next;
  }

  /** The others are granted permits when their clients can send them. */
  countSendable(): Sendable {
    let sendable = 0;
    let sendableUrgent = 0;
    for (const [client, queue] of this.#waiting) {
      const urgent = queue.urgent === 0 ? 0 : Math.min(queue.urgent, client.urgentFree);
      const all = urgent + Math.min(queue.length - queue.urgent, Math.max(0, client.free - urgent));
      if (all < queue.length) client.wakeWhenFree(this);
      sendable += all;
      sendableUrgent += urgent;
    }
    return { all: sendable, urgent: sendableUrgent };
  }

  pump(): void {
    this.#onFree(this);
  }
}

function urgentOf(among: readonly Priority[]): readonly Priority[] {
  return among.includes('urgent') ? urgentOnly : [];
}
