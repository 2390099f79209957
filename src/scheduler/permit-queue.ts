// The queue of one rate limit: which requests are queued, fail or time out, and which one is next. Each client has a
// queue of its own in it, because a client with too many requests in flight must not delay the others.
import { QueueFullError, QueueTimeoutError } from '../errors/index.js';
import { SynchronousErrors } from '../errors/index.js';
import type { InFlight, Waiting } from './in-flight.js';
import type { PermitRequest } from './permits-in-use.js';
import { byTurn, priorities, ClientQueue, type Place, type Priority, type Waiter } from './client-queue.js';

/** While more urgent requests are queued, 1 permit in this many is granted to a background request. */
const backgroundTurn = 20;
const backgroundFirst: readonly Priority[] = ['background', 'urgent', 'normal'];
/** The priorities of probes, and of the reserve. */
export const urgentOnly: readonly Priority[] = ['urgent'];

export interface QueueTerms {
  /** Name of the rate limit. */
  readonly name: string;
  /** Maximum number of queued requests. */
  readonly maxQueued: number;
}

export interface QueueHooks {
  /** Called when a request is queued. */
  readonly onWait: () => void;
  /** Called when the queue is empty. */
  readonly onEmpty: () => void;
  readonly isCoolingDown: () => boolean;
}

/** A request in the queue. */
export interface QueuedRequest extends PermitRequest {
  /** By `performance.now()`. */
  readonly expiresAt: number;
  /** Absent when the request has left the queue. */
  place?: Place<QueuedRequest> | undefined;
  /** Ends its wait, or emits its error. */
  timer?: NodeJS.Timeout;
}

export class PermitQueue {
  readonly #terms: QueueTerms;
  readonly #hooks: QueueHooks;
  readonly #clientQueues = new WeakMap<InFlight, ClientQueue<QueuedRequest>>();
  /** The queues of the clients that have queued requests. */
  readonly #waiting = new Map<InFlight, ClientQueue<QueuedRequest>>();
  readonly #counts: Record<Priority, number> = { urgent: 0, normal: 0, background: 0 };
  /** New requests, for which it is not decided yet whether they get a permit at once. */
  readonly #joining: QueuedRequest[] = [];
  readonly #refusals = new SynchronousErrors();
  #grantsSinceBackground = 0;

  constructor(terms: QueueTerms, hooks: QueueHooks) {
    this.#terms = terms;
    this.#hooks = hooks;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Number of queued requests. */
  get counts(): Readonly<Record<Priority, number>> {
    return this.#counts;
  }

  /**
   * Adds a request, until {@link refuseOrWait} a tentative one.
   *
   * @param turn the turn that it inherits: it goes before the others of its client and priority
   */
  join(request: PermitRequest, turn: Waiter | undefined): QueuedRequest {
    const expiresAt = performance.now() + (request.maxWaitMs ?? Number.POSITIVE_INFINITY);
    const queued: QueuedRequest = { ...request, arrival: turn?.arrival ?? request.arrival, expiresAt };
    const { client, priority } = queued;
    const queue = this.#clientQueues.get(client) ?? new ClientQueue<QueuedRequest>();
    this.#clientQueues.set(client, queue);
    this.#waiting.set(client, queue);
    queued.place = turn === undefined ? queue.join(queued) : queue.joinFirst(queued);
    this.#counts[priority] += 1;
    this.#joining.push(queued);
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
    this.#counts[priority] -= 1;
    if (this.isEmpty) this.#hooks.onEmpty();
    return true;
  }

  /** The request leaves the queue because it gets its permit. */
  leaveGranted(queued: QueuedRequest): void {
    this.leave(queued);
    this.#grantsSinceBackground = queued.priority === 'background' ? 0 : this.#grantsSinceBackground + 1;
  }

  /** Queues the new requests that got no permit, or fails them when the queue is full. */
  refuseOrWait(): void {
    const { name, maxQueued } = this.#terms;
    // The last requests fail first, because they exceed the bound. A request that is made while another fails is
    // handled in the next round: there may be a permit for it.
    for (const queued of this.#joining.splice(0).reverse()) {
      if (queued.place === undefined) continue;
      const { endpoint, maxWaitMs, priority } = queued;
      if (this.#countUpTo(priority) > maxQueued) {
        this.leave(queued);
        this.#refuse(queued, new QueueFullError(endpoint, name, maxQueued));
      } else {
        this.#hooks.onWait();
        if (maxWaitMs !== undefined) queued.timer = this.#expiryOf(queued, maxWaitMs);
      }
    }
  }

  /** Whether the request was queued for too long. A request that gets its permit at once was not queued. */
  isExpired({ timer, expiresAt }: QueuedRequest, now: number): boolean {
    return timer !== undefined && expiresAt <= now;
  }

  expire(queued: QueuedRequest): void {
    const { client, endpoint, maxWaitMs = 0, priority, subscriber } = queued;
    const block = this.#hooks.isCoolingDown() ? undefined : client.blockedBy(priority === 'urgent');
    if (!this.leave(queued)) return;
    subscriber.error(new QueueTimeoutError(endpoint, this.#terms.name, maxWaitMs, block ?? 'limit'));
  }

  /** The next request of this client. */
  firstOf(client: InFlight): Waiter | undefined {
    return this.#waiting.get(client)?.first()?.waiter;
  }

  /** The priorities in the order in which they are served now. */
  get turn(): readonly Priority[] {
    return this.#grantsSinceBackground >= backgroundTurn - 1 ? backgroundFirst : priorities;
  }

  /** The next request of these priorities that its client can send now. */
  next(among: readonly Priority[]): QueuedRequest | undefined {
    let next: QueuedRequest | undefined;
    for (const [client, queue] of this.#waiting) {
      const first = queue.first(client.free > 0 ? among : urgentOnly)?.waiter;
      if (first === undefined || (first.priority === 'urgent' && client.urgentFree === 0)) continue;
      if (next === undefined || byTurn(first, next, among) < 0) next = first;
    }
    return next;
  }

  /** Number of requests that their clients could send now. The others are granted permits when their clients can. */
  countSendable(rateLimit: Waiting): number {
    let sendable = 0;
    for (const [client, queue] of this.#waiting) {
      const urgent = queue.urgent === 0 ? 0 : Math.min(queue.urgent, client.urgentFree);
      const all = urgent + Math.min(queue.length - queue.urgent, Math.max(0, client.free - urgent));
      if (all < queue.length) client.wakeWhenFree(rateLimit);
      sendable += all;
    }
    return sendable;
  }

  /** Number of queued requests of the same or a higher priority. Others never keep a request out of the queue. */
  #countUpTo(priority: Priority): number {
    const { urgent, normal, background } = this.#counts;
    return urgent + (priority === 'urgent' ? 0 : normal) + (priority === 'background' ? background : 0);
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

  #expiryOf(queued: QueuedRequest, maxWaitMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.expire(queued);
    }, maxWaitMs);
  }
}
