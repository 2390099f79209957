// The requests that wait for a permit of one rate limit: by priority, then by arrival. The requests of one client, one
// set of rate limits and one priority have a lane of their own: a client with too many requests in flight, or another
// rate limit that cools down, must not delay the others.
import type { Priority } from '../endpoint/index.js';
import type { InFlight, Waiting, WaitingRequest } from './in-flight.js';
import { byTurn } from './priority.js';

/** A request that waits for the permits of its rate limits, one after another. */
export interface QueuedRequest<R extends QueuedRequest<R>> extends WaitingRequest {
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
  readonly queue: PermitQueue<R>;
  /** Whether permits are granted, or will be as soon as one is free. */
  isOpen(isUrgent: boolean, now: number): boolean;
  /** Pumps the other rate limit when this one is open again. */
  wakeWhenOpen(other: Waiting, now: number): void;
}

export class PermitQueue<R extends QueuedRequest<R>> {
  /** The requests that have a permit of this rate limit, and wait for one of another. */
  readonly #holding = new Set<Lane<R>>();
  readonly #limiter: QueuedLimit<R>;
  /** None of them is empty. */
  readonly #lanes = new Set<Lane<R>>();
  isEmpty = true;
  /** The requests that need this rate limit, whichever they wait for. */
  readonly queued: Record<Priority, number> = { urgent: 0, normal: 0, background: 0 };

  constructor(limiter: QueuedLimit<R>) {
    this.#limiter = limiter;
  }

  get hasQueued(): boolean {
    const { urgent, normal, background } = this.queued;
    return urgent + normal + background > 0;
  }

  /** How many requests of at least this priority are queued. */
  lengthFor(priority: Priority): number {
    const { urgent, normal, background } = this.queued;
    return urgent + (priority === 'urgent' ? 0 : normal) + (priority === 'background' ? background : 0);
  }

  /** Whether requests have a permit of this rate limit, and wait for one of another. */
  get isHeld(): boolean {
    return this.#holding.size > 0;
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
    if (lane.length > 0) return;
    this.#lanes.delete(lane);
    this.isEmpty = this.#lanes.size === 0;
    for (const earlier of lane.earlier) earlier.queue.#holding.delete(lane);
  }

  /** The next request of these priorities that could be sent now with a permit. */
  next(among: readonly Priority[], now: number): R | undefined {
    let next: R | undefined;
    for (const lane of this.#lanes) {
      const { first, priority } = lane;
      if (first === undefined || !among.includes(priority)) continue;
      if (next !== undefined && byTurn(first, next, among) > 0) continue;
      if (lane.sendable(now) > 0) next = first;
    }
    return next;
  }

  /** The next request of this client, and of all its parts. */
  firstOf(client: InFlight): R | undefined {
    let next: R | undefined;
    for (const { client: one, first } of this.#lanes) {
      if (first === undefined || one.root !== client) continue;
      if (next === undefined || byTurn(first, next) < 0) next = first;
    }
    return next;
  }

  /**
   * The last request that yields its permit of this rate limit to one in this queue: because that one is urgent, or
   * because it could not be sent now itself.
   */
  yielding(isToUrgent: boolean, now: number): R | undefined {
    let yielding: R | undefined;
    for (const lane of this.#holding) {
      const { last } = lane;
      if (last === undefined || (yielding !== undefined && byTurn(last, yielding) < 0)) continue;
      const isBlocked = !lane.isOpen(now) || lane.sendable(now) === 0;
      if (lane.isUrgent ? isToUrgent && isBlocked : isToUrgent || isBlocked) yielding = last;
    }
    return yielding;
  }

  /** The requests that have permits, of this rate limit or to wait for it. */
  withPermits(): readonly R[] {
    const waiting = [...this.#lanes].filter(({ earlier }) => earlier.length > 0);
    return [...this.#holding, ...waiting].flatMap((lane) => lane.all());
  }

  /** Counts the requests that could be sent now. The others get their turn when what blocks them has ended. */
  countSendable(now: number): { readonly all: number; readonly urgent: number } {
    let all = 0;
    let urgent = 0;
    for (const lane of this.#lanes) {
      const sendable = Math.min(lane.length, lane.sendable(now));
      all += sendable;
      if (lane.isUrgent) urgent += sendable;
      if (sendable < lane.length) lane.wakeWhenSendable(now);
    }
    return { all, urgent };
  }

  #laneOf({ client, limiters, priority }: R): Lane<R> {
    for (const lane of this.#lanes)
      if (lane.client === client && lane.limiters === limiters && lane.priority === priority) return lane;
    const lane = new Lane(this.#limiter, client, limiters, priority);
    this.#lanes.add(lane);
    this.isEmpty = false;
    for (const earlier of lane.earlier) earlier.queue.#holding.add(lane);
    return lane;
  }
}

/**
 * The requests of one client, one set of rate limits and one priority that wait for the same rate limit, in the order of
 * arrival. They are linked to their neighbors: leaving needs no search.
 */
class Lane<R extends QueuedRequest<R>> {
  readonly client: InFlight;
  readonly limiters: readonly QueuedLimit<R>[];
  readonly priority: Priority;
  readonly isUrgent: boolean;
  /** The rate limits of which they have a permit. */
  readonly earlier: readonly QueuedLimit<R>[];
  readonly limiter: QueuedLimit<R>;
  readonly #later: readonly QueuedLimit<R>[];
  length = 0;
  first: R | undefined;
  last: R | undefined;

  constructor(limiter: QueuedLimit<R>, client: InFlight, limiters: readonly QueuedLimit<R>[], priority: Priority) {
    const index = limiters.indexOf(limiter);
    this.client = client;
    this.limiters = limiters;
    this.priority = priority;
    this.isUrgent = priority === 'urgent';
    this.earlier = limiters.slice(0, index);
    this.limiter = limiter;
    this.#later = limiters.slice(index + 1);
  }

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

  all(): readonly R[] {
    const all: R[] = [];
    for (let { first: each } = this; each !== undefined; each = each.after) all.push(each);
    return all;
  }

  /** Whether their rate limit grants permits to them. */
  isOpen(now: number): boolean {
    return this.limiter.isOpen(this.isUrgent, now);
  }

  /** How many requests could be sent now if there were permits for them. */
  sendable(now: number): number {
    for (const later of this.#later) if (!later.isOpen(this.isUrgent, now)) return 0;
    return this.client.free(this.isUrgent);
  }

  /** Pumps their rate limit when another request of the client ends, and when the other rate limits are open. */
  wakeWhenSendable(now: number): void {
    this.client.wakeWhenFree(this.limiter);
    for (const later of this.#later) if (!later.isOpen(this.isUrgent, now)) later.wakeWhenOpen(this.limiter, now);
  }
}
