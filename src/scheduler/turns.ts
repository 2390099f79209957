// Whose turn it is, over the queues of several rate limits. A request is granted when every rate limit that it needs has
// a permit. While a rate limit has none, later requests that do not need it are granted. No request starves: when it is
// first in every rate limit that has no permit, a permit of each of its other rate limits is kept for it.
import { byTurn, priorities, type Priority } from './client-queue.js';
import type { PermitQueue, QueuedRequest } from './permit-queue.js';
import type { RateLimiter } from './rate-limiter.js';

const urgentOnly: readonly Priority[] = ['urgent'];
const backgroundOnly: readonly Priority[] = ['background'];
const backgroundFirst: readonly Priority[] = ['background', 'urgent', 'normal'];

/** A request that can be granted its permits. */
export interface Turn {
  readonly queued: QueuedRequest;
  /** How many permits of each of its rate limits are kept for requests that come before it. */
  readonly kept: ReadonlyMap<RateLimiter, number>;
}

/** No permits are kept. */
export const nothingKept: ReadonlyMap<RateLimiter, number> = new Map();

/** The next request of these queues that can be granted all its permits now. */
export function nextInTurn(queues: readonly PermitQueue[], now: number): Turn | undefined {
  const [only] = queues;
  if (queues.length === 1 && only?.limiters.length === 1) return nextOf(only, now);
  const kept = new KeptPermits();
  /** Rate limits for which a request waits that comes before the current one. */
  const passed = new Set<RateLimiter>();
  for (const queued of inTurn(queues)) {
    const { limiters } = queued.queue;
    const isUrgent = queued.priority === 'urgent';
    const keptBefore = kept.before(isUrgent);
    const lacking = limiters.filter((limiter) => limiter.grantable(isUrgent, now) <= (keptBefore.get(limiter) ?? 0));
    if (lacking.length === 0) return { queued, kept: keptBefore };
    // A request that waits for the end of a cool-down does not compete for permits now.
    const isComing = lacking.every((limiter) => limiter.isGranting(now));
    const others = limiters.filter((limiter) => !lacking.includes(limiter));
    const isFirst = !lacking.some((limiter) => passed.has(limiter));
    queued.hasKept = isComing && isFirst && others.length > 0 && kept.canKeep(others);
    if (queued.hasKept) kept.keep(others, isUrgent);
    if (isComing) for (const limiter of limiters) passed.add(limiter);
  }
  return undefined;
}

/** 1 permit in this many is kept at most, and at least one: the others are never idle, however many requests wait. */
const keptShare = 50;

/** The permits that are kept for requests which lack a permit of another rate limit. */
class KeptPermits {
  readonly #all = new Map<RateLimiter, number>();
  /** Those for urgent requests. The others are not kept from urgent requests. */
  readonly #urgent = new Map<RateLimiter, number>();

  /** How many permits an urgent request, or another one, must leave. */
  before(isUrgent: boolean): ReadonlyMap<RateLimiter, number> {
    return isUrgent ? this.#urgent : this.#all;
  }

  canKeep(limiters: readonly RateLimiter[]): boolean {
    return limiters.every(
      (limiter) => (this.#all.get(limiter) ?? 0) < Math.max(1, Math.floor(limiter.terms.limit / keptShare)),
    );
  }

  keep(limiters: readonly RateLimiter[], isUrgent: boolean): void {
    for (const limiter of limiters) {
      this.#all.set(limiter, (this.#all.get(limiter) ?? 0) + 1);
      if (isUrgent) this.#urgent.set(limiter, (this.#urgent.get(limiter) ?? 0) + 1);
    }
  }
}

/** As {@link nextInTurn}, where no request needs a permit of another rate limit. */
function nextOf(queue: PermitQueue, now: number): Turn | undefined {
  const [limiter] = queue.limiters;
  if (limiter === undefined || limiter.grantable(true, now) === 0) return undefined;
  const canAll = limiter.grantable(false, now) > 0;
  const queued = queue.next(canAll ? turnOf(limiter) : urgentOnly);
  return queued === undefined ? undefined : { queued, kept: nothingKept };
}

/** The first rate limit that keeps a request waiting. */
export function lackingLimit({ queue: { limiters }, priority }: QueuedRequest, now: number): RateLimiter | undefined {
  return limiters.find((limiter) => limiter.grantable(priority === 'urgent', now) === 0) ?? limiters[0];
}

/**
 * A background request is about to be granted. Where it takes the turn of an older one that lacks a permit of another
 * rate limit, that one keeps its turn: otherwise the turns of its rate limits might never coincide.
 */
export function oweTurns(granted: QueuedRequest, queues: Iterable<PermitQueue>): void {
  if (granted.priority !== 'background') return;
  const limiters = granted.queue.limiters.filter(({ isBackgroundTurn }) => isBackgroundTurn);
  for (const queue of queues) {
    if (queue === granted.queue || queue.limiters.length === 1 || !queue.hasBackground) continue;
    const shared = limiters.filter((limiter) => queue.limiters.includes(limiter));
    const first = shared.length === 0 ? undefined : queue.next(backgroundOnly);
    if (first !== undefined && first.arrival < granted.arrival) for (const limiter of shared) queue.owed.add(limiter);
  }
  granted.queue.owed.clear();
}

/** The first requests of the queues that their clients can send now, in turn. */
function inTurn(queues: readonly PermitQueue[]): QueuedRequest[] {
  const early: QueuedRequest[] = [];
  const others: QueuedRequest[] = [];
  for (const queue of queues) {
    const isEarly = queue.hasBackground && isBackgroundTurn(queue);
    const background = isEarly ? queue.next(backgroundOnly) : undefined;
    if (background !== undefined) early.push(background);
    const first = queue.next(priorities);
    if (first !== undefined && first !== background) others.push(first);
  }
  if (early.length > 1) early.sort((one, other) => one.arrival - other.arrival);
  if (others.length > 1) others.sort((one, other) => byTurn(one, other));
  return early.length === 0 ? others : [...early, ...others];
}

/** Whether a background request goes first now: in each of its rate limits it has the turn, or no other request waits. */
function isBackgroundTurn({ limiters, owed }: PermitQueue): boolean {
  const hasTurn = (limiter: RateLimiter) => limiter.isBackgroundTurn || owed.has(limiter);
  return limiters.some(hasTurn) && limiters.every((limiter) => hasTurn(limiter) || !limiter.hasForeground);
}

function turnOf({ isBackgroundTurn: isBackgroundFirst }: RateLimiter): readonly Priority[] {
  return isBackgroundFirst ? backgroundFirst : priorities;
}
