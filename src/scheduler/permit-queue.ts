// The requests that wait for a permit of one rate limit: by priority, then by arrival. The requests of each client, and of
// each set of rate limits, have a lane of their own: a client with too many requests in flight, or another rate limit
// that cools down, must not delay the others.
import type { Priority } from '../endpoint/index.js';
import type { InFlight, Waiting } from './in-flight.js';
import { byTurn, priorities, type Waiter } from './priority.js';

/** A request that waits for the permits of its rate limits, one after another. */
export interface QueuedRequest<R extends QueuedRequest<R>> extends Waiter {
  readonly client: InFlight;
  /** Always the same list for the same rate limits. */
  readonly limiters: readonly QueuedLimit<R>[];
  /** Where it waits; absent when it does not wait. */
  lane: Lane<R> | undefined;
  /** Its neighbors in the lane. */
  before: R | undefined;
  after: R | undefined;
}

/** A rate limit for which requests wait. */
export interface QueuedLimit<R extends QueuedRequest<R>> extends Waiting {
  /** The requests that have a permit of this rate limit, and wait for one of another. */
  readonly holding: Set<Lane<R>>;
  /** Whether permits are granted, or will be as soon as one is free. */
  isOpen(isUrgent: boolean, now: number): boolean;
  /** Pumps the other rate limit when this one is open again. */
  wakeWhenOpen(other: Waiting, now: number): void;
}

/** How many requests their clients could send now. */
export interface Sendable {
  readonly all: number;
  readonly urgent: number;
}

export class PermitQueue<R extends QueuedRequest<R>> {
  readonly #limiter: QueuedLimit<R>;
  /** None of them is empty. */
  readonly #lanes = new Set<Lane<R>>();
  isEmpty = true;

  constructor(limiter: QueuedLimit<R>) {
    this.#limiter = limiter;
  }

  /** The request waits here, in its place by arrival, with the permits of its earlier rate limits. */
  join(request: R): void {
    request.lane = this.#laneOf(request);
    request.lane.add(request);
  }

  leave(request: R): void {
    const { lane } = request;
    if (lane === undefined) return;
    request.lane = undefined;
    lane.remove(request);
    if (!lane.isEmpty) return;
    this.#lanes.delete(lane);
    this.isEmpty = this.#lanes.size === 0;
    for (const earlier of lane.earlier) earlier.holding.delete(lane);
  }

  /** The next request of these priorities that could be sent now with a permit. */
  next(among: readonly Priority[], now: number): R | undefined {
    let next: R | undefined;
    for (const lane of this.#lanes) {
      const first = lane.next(among, now);
      if (first !== undefined && (next === undefined || byTurn(first, next, among) < 0)) next = first;
    }
    return next;
  }

  /** The next request of this client. */
  firstOf(client: InFlight): R | undefined {
    let next: R | undefined;
    for (const lane of this.#lanes) {
      const first = lane.client === client ? lane.first(priorities) : undefined;
      if (first !== undefined && (next === undefined || byTurn(first, next) < 0)) next = first;
    }
    return next;
  }

  /** The lanes whose requests have permits of other rate limits. */
  lanesWithPermits(): readonly Lane<R>[] {
    return [...this.#lanes].filter(({ earlier }) => earlier.length > 0);
  }

  /** Counts the requests that could be sent now. The others get their turn when what blocks them has ended. */
  countSendable(now: number): Sendable {
    let all = 0;
    let urgent = 0;
    for (const lane of this.#lanes) {
      const sendable = lane.countSendable(now);
      all += sendable.all;
      urgent += sendable.urgent;
    }
    return { all, urgent };
  }

  #laneOf({ client, limiters }: R): Lane<R> {
    for (const lane of this.#lanes) if (lane.client === client && lane.limiters === limiters) return lane;
    const lane = new Lane(this, this.#limiter, client, limiters);
    this.#lanes.add(lane);
    this.isEmpty = false;
    for (const earlier of lane.earlier) earlier.holding.add(lane);
    return lane;
  }
}

/** The requests of one client and one set of rate limits that wait for the same one of these. */
export class Lane<R extends QueuedRequest<R>> {
  readonly queue: PermitQueue<R>;
  readonly client: InFlight;
  readonly limiters: readonly QueuedLimit<R>[];
  readonly #limiter: QueuedLimit<R>;
  /** The rate limits of which they have a permit. */
  readonly earlier: readonly QueuedLimit<R>[];
  readonly #later: readonly QueuedLimit<R>[];
  readonly #queues: Readonly<Record<Priority, Queue<R>>> = {
    urgent: new Queue(),
    normal: new Queue(),
    background: new Queue(),
  };

  constructor(queue: PermitQueue<R>, limiter: QueuedLimit<R>, client: InFlight, limiters: readonly QueuedLimit<R>[]) {
    const index = limiters.indexOf(limiter);
    this.queue = queue;
    this.client = client;
    this.limiters = limiters;
    this.earlier = limiters.slice(0, index);
    this.#limiter = limiter;
    this.#later = limiters.slice(index + 1);
  }

  get isEmpty(): boolean {
    return this.first(priorities) === undefined;
  }

  add(request: R): void {
    this.#queues[request.priority].add(request);
  }

  remove(request: R): void {
    this.#queues[request.priority].remove(request);
  }

  all(): readonly R[] {
    const all: R[] = [];
    for (const priority of priorities) {
      for (let { first: each } = this.#queues[priority]; each !== undefined; each = each.after) all.push(each);
    }
    return all;
  }

  first(among: readonly Priority[]): R | undefined {
    for (const priority of among) {
      const { first } = this.#queues[priority];
      if (first !== undefined) return first;
    }
    return undefined;
  }

  /** The first request of these priorities that could be sent now with a permit. */
  next(among: readonly Priority[], now: number): R | undefined {
    for (const priority of among) {
      const { first } = this.#queues[priority];
      if (first !== undefined && this.#freeFor(priority === 'urgent', now) > 0) return first;
    }
    return undefined;
  }

  /**
   * The last request that yields a permit of an earlier rate limit to a request in the queue of that one: because the
   * other one is urgent, or because it could not be sent now itself.
   */
  yielding(isToUrgent: boolean, now: number): R | undefined {
    const canSend = (isUrgent: boolean) => this.#limiter.isOpen(isUrgent, now) && this.#freeFor(isUrgent, now) > 0;
    const { urgent, normal, background } = this.#queues;
    const last = background.last ?? normal.last;
    if (last !== undefined && (isToUrgent || !canSend(false))) return last;
    return isToUrgent && urgent.last !== undefined && !canSend(true) ? urgent.last : undefined;
  }

  countSendable(now: number): Sendable {
    const { urgent, normal, background } = this.#queues;
    const sendable = urgent.length === 0 ? 0 : Math.min(urgent.length, this.#freeFor(true, now));
    const others = normal.length + background.length;
    const all = sendable + Math.min(others, Math.max(0, this.#freeFor(false, now) - sendable));
    if (all < urgent.length + others) {
      this.client.wakeWhenFree(this.#limiter);
      for (const later of this.#later) if (!later.isOpen(others === 0, now)) later.wakeWhenOpen(this.#limiter, now);
    }
    return { all, urgent: sendable };
  }

  /** How many requests could be sent now if there were permits for them. */
  #freeFor(isUrgent: boolean, now: number): number {
    for (const later of this.#later) if (!later.isOpen(isUrgent, now)) return 0;
    return isUrgent ? this.client.urgentFree : this.client.free;
  }
}

/** Requests in the order of arrival, linked to their neighbors: leaving needs no search. */
class Queue<R extends QueuedRequest<R>> {
  length = 0;
  first: R | undefined;
  last: R | undefined;

  /** A request that returns has arrived before most others: its place is searched from the front. */
  add(request: R): void {
    let after = this.last !== undefined && this.last.arrival > request.arrival ? this.first : undefined;
    while (after !== undefined && after.arrival < request.arrival) after = after.after;
    const before = after === undefined ? this.last : after.before;
    request.before = before;
    request.after = after;
    if (before === undefined) this.first = request;
    else before.after = request;
    if (after === undefined) this.last = request;
    else after.before = request;
    this.length += 1;
  }

  remove(request: R): void {
    const { before, after } = request;
    if (before === undefined) this.first = after;
    else before.after = after;
    if (after === undefined) this.last = before;
    else after.before = before;
    request.before = undefined;
    request.after = undefined;
    this.length -= 1;
  }
}
