// Which rate limits must be looked at together: those that are connected by requests that need permits of several.
import type { PermitQueue } from './permit-queue.js';
import type { RateLimiter } from './rate-limiter.js';

interface Group {
  readonly limiters: Set<RateLimiter>;
  /** The queues that are not empty. Replaced when they change, which is rare. */
  waiting: readonly PermitQueue[];
}

const none: readonly PermitQueue[] = [];

export class LimitGroups {
  readonly #groups = new WeakMap<RateLimiter, Group>();

  /** These rate limits belong together from now on. */
  connect([first, ...others]: readonly RateLimiter[]): void {
    if (first === undefined) return;
    const group = this.#groupOf(first);
    for (const other of others) {
      const absorbed = this.#groupOf(other);
      if (absorbed === group) continue;
      for (const limiter of absorbed.limiters) {
        group.limiters.add(limiter);
        this.#groups.set(limiter, group);
      }
      group.waiting = [...group.waiting, ...absorbed.waiting];
    }
  }

  /** Call it when the queue has got its first request, or lost its last one. */
  update(queue: PermitQueue): void {
    const [limiter] = queue.limiters;
    if (limiter === undefined) return;
    const group = this.#groupOf(limiter);
    const others = group.waiting.filter((one) => one !== queue);
    group.waiting = queue.isEmpty ? others : [...others, queue];
  }

  /** The queues with requests that a permit of one of these rate limits may concern. */
  waitingFor(limiters: Iterable<RateLimiter>): readonly PermitQueue[] {
    let first: Group | undefined;
    let others: readonly Group[] = [];
    for (const limiter of limiters) {
      const group = this.#groupOf(limiter);
      if (group === first || group.waiting.length === 0 || others.includes(group)) continue;
      if (first === undefined) first = group;
      else others = [...others, group];
    }
    if (first === undefined) return none;
    return others.length === 0 ? first.waiting : [first, ...others].flatMap(({ waiting }) => waiting);
  }

  #groupOf(limiter: RateLimiter): Group {
    let group = this.#groups.get(limiter);
    if (group === undefined) {
      group = { limiters: new Set([limiter]), waiting: none };
      this.#groups.set(limiter, group);
    }
    return group;
  }
}
