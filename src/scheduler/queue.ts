// The requests that wait for permits, and which of them is next: urgent ones first, then by arrival. The requests of one
// client, one set of rate limits and one priority wait in a lane of their own: a client with too many requests in flight,
// or a rate limit that cools down, must not delay the others.
import type { Subscriber } from 'rxjs';
import type { Priority } from '../endpoint/index.js';
import type { InFlight } from './in-flight.js';
import type { Demand, Permit, RateLimiter } from './rate-limiter.js';

/** A request for a permit of each of its rate limits. */
export interface PermitRequest {
  readonly endpoint: string;
  /** Narrowest first; always the same list for the same rate limits. */
  readonly limiters: readonly RateLimiter[];
  readonly priority: Priority;
  readonly client: InFlight;
  readonly maxWaitMs: number | undefined;
}

/** Has the terms field by field: a spread of them would take ten times the memory. */
export class WaitingRequest implements PermitRequest {
  readonly endpoint: string;
  readonly limiters: readonly RateLimiter[];
  readonly priority: Priority;
  readonly client: InFlight;
  readonly maxWaitMs: number | undefined;
  /** By `performance.now()`. */
  readonly expiresAt: number;
  timer: NodeJS.Timeout | undefined;
  /** Where it waits; absent when it does not wait. */
  lane: Lane | undefined;
  /** Its neighbors in the lane. */
  before: WaitingRequest | undefined;
  after: WaitingRequest | undefined;

  /** @param arrival grows with each request */
  constructor(
    { endpoint, limiters, priority, client, maxWaitMs }: PermitRequest,
    readonly arrival: number,
    readonly subscriber: Subscriber<Permit>,
  ) {
    this.endpoint = endpoint;
    this.limiters = limiters;
    this.priority = priority;
    this.client = client;
    this.maxWaitMs = maxWaitMs;
    this.expiresAt = maxWaitMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + maxWaitMs;
  }
}

/** After this many others, an urgent read has its turn: the outcome of an order must not stay unknown for ever. */
const maxBeforeRead = 3;

export class Queue {
  /** None of them is empty. */
  readonly #lanes = new Set<Lane>();

  get isEmpty(): boolean {
    return this.#lanes.size === 0;
  }

  add(request: WaitingRequest): void {
    const { client, limiters, priority } = request;
    let lane: Lane | undefined;
    for (const one of this.#lanes)
      if (one.client === client && one.limiters === limiters && one.priority === priority) lane = one;
    lane ??= new Lane(client, limiters, priority);
    this.#lanes.add(lane);
    lane.add(request);
    for (const limiter of limiters) limiter.queued[priority] += 1;
  }

  /** Returns false when the request did not wait any more. */
  remove(request: WaitingRequest): boolean {
    const { lane, limiters, priority } = request;
    if (lane === undefined) return false;
    lane.remove(request);
    if (lane.length === 0) this.#lanes.delete(lane);
    for (const limiter of limiters) limiter.queued[priority] -= 1;
    return true;
  }

  /**
   * The next request that can be sent now. A request that has to wait for a rate limit keeps one permit of each narrower
   * one from the requests behind it: otherwise others could take them for ever, each before the next one is free.
   */
  next(now: number): WaitingRequest | undefined {
    const [only] = this.#lanes;
    if (this.#lanes.size < 2) return only?.next(now);
    const turns = [...this.#lanes].flatMap((lane) => lane.turn(now));
    const kept = new Map<RateLimiter, number>();
    while (turns.length > 0) {
      const turn = turns.reduce((first, other) => (isBefore(other, first) ? other : first));
      const { lane, request } = turn;
      const { isUrgent, limiters } = lane;
      const lacking = limiters.findIndex((limiter) => limiter.available(isUrgent, now) <= (kept.get(limiter) ?? 0));
      if (lacking === -1) return request;
      for (const limiter of limiters.slice(0, lacking)) kept.set(limiter, (kept.get(limiter) ?? 0) + 1);
      turn.left -= 1;
      if (lacking > 0 && turn.left > 0 && request.after !== undefined) turn.request = request.after;
      else turns.splice(turns.indexOf(turn), 1);
    }
    return undefined;
  }

  /** Counts that a request is sent before others of its client. */
  countTurn({ client, lane }: WaitingRequest): void {
    if (lane?.isUrgent !== true) return;
    if (client.isRead) lane.passedBy = 0;
    else for (const other of this.#lanes) if (other.client.root === client.root) other.passedBy += 1;
  }

  demand(now: number): ReadonlyMap<RateLimiter, Demand> {
    const demands = new Map<RateLimiter, Demand>();
    for (const lane of this.#lanes) {
      let count = lane.sendable(now);
      for (const limiter of lane.limiters) {
        const demand = demands.get(limiter) ?? { all: 0, urgent: 0 };
        demands.set(limiter, demand);
        demand.all += count;
        if (lane.isUrgent) demand.urgent += count;
        count = Math.min(count, limiter.available(lane.isUrgent, now));
      }
    }
    return demands;
  }

  /** Milliseconds until a cool-down allows another request, or a nonce is free; Infinity when nothing but time helps. */
  nextInMs(now: number): number {
    let ms = Number.POSITIVE_INFINITY;
    for (const { client, isUrgent, limiters } of this.#lanes) {
      ms = Math.min(ms, client.freeInMs());
      for (const limiter of limiters) ms = Math.min(ms, limiter.moreInMs(isUrgent, now));
    }
    return ms;
  }
}

/** The next request of a lane, and how many of the lane could be sent now. */
interface Turn {
  readonly lane: Lane;
  request: WaitingRequest;
  left: number;
}

function isBefore(one: Turn, other: Turn): boolean {
  return (one.lane.rank - other.lane.rank || one.request.arrival - other.request.arrival) < 0;
}

/** Requests in the order of arrival. They are linked to their neighbors: leaving needs no search. */
class Lane {
  readonly isUrgent: boolean;
  /** How many urgent requests of the client, reads apart, were sent after the last one of this lane. */
  passedBy = 0;
  length = 0;
  #first: WaitingRequest | undefined;
  #last: WaitingRequest | undefined;

  constructor(
    readonly client: InFlight,
    readonly limiters: readonly RateLimiter[],
    readonly priority: Priority,
  ) {
    this.isUrgent = priority === 'urgent';
  }

  /** Urgent reads come after other urgent requests: a cancel must not wait behind the lookups of a lost response. */
  get rank(): number {
    if (!this.isUrgent) return 2;
    return this.client.isRead && this.passedBy < maxBeforeRead ? 1 : 0;
  }

  /** A request that keeps the turn of another has arrived before some of the others. */
  add(request: WaitingRequest): void {
    let before = this.#last;
    while (before !== undefined && before.arrival > request.arrival) before = before.before;
    const after = before === undefined ? this.#first : before.after;
    this.#link(before, request);
    this.#link(request, after);
    request.lane = this;
    this.length += 1;
  }

  remove(request: WaitingRequest): void {
    this.#link(request.before, request.after);
    request.lane = request.before = request.after = undefined;
    this.length -= 1;
  }

  #link(before: WaitingRequest | undefined, after: WaitingRequest | undefined): void {
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
  }

  next(now: number): WaitingRequest | undefined {
    const hasPermits = this.limiters.every((limiter) => limiter.available(this.isUrgent, now) > 0);
    return hasPermits && this.sendable(now) > 0 ? this.#first : undefined;
  }

  turn(now: number): Turn[] {
    const left = this.sendable(now);
    return this.#first === undefined || left === 0 ? [] : [{ lane: this, request: this.#first, left }];
  }

  /** How many requests could be sent now if there were permits for them. */
  sendable(now: number): number {
    if (!this.limiters.every((limiter) => limiter.isOpen(this.isUrgent, now))) return 0;
    return Math.min(this.length, this.client.free(this.isUrgent));
  }
}
