// Which rate limits must be looked at together: those that are connected by requests that need permits of several.
import type { PermitQueue } from './permit-queue.js';
import type { RateLimiter } from './rate-limiter.js';

interface Group {
  readonly limiters: Set<RateLimiter>;
  /** The queues that are not empty. */
  readonly waiting: Set<PermitQueue>;
}

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
      for (const queue of absorbed.waiting) group.waiting.add(queue);
    }
  }

  /** The queue has requests, or none any more. */
  update(queue: PermitQueue): void {
    const [limiter] = queue.limiters;
    if (limiter === undefined) return;
    const { waiting } = this.#groupOf(limiter);
    if (queue.isEmpty) waiting.delete(queue);
    else waiting.add(queue);
  }

  /** The queues with requests that a permit of one of these rate limits may concern. */
  waitingFor(limiters: Iterable<RateLimiter>): readonly PermitQueue[] {
    let groups: readonly Group[] = [];
    for (const limiter of limiters) {
      const group = this.#groupOf(limiter);
      if (group.waiting.size > 0 && !groups.includes(group)) groups = [...groups, group];
    }
    return groups.flatMap(({ waiting }) => [...waiting]);
  }

  #groupOf(limiter: RateLimiter): Group {
    let group = this.#groups.get(limiter);
    if (group === undefined) {
      group = { limiters: new Set([limiter]), waiting: new Set() };
      this.#groups.set(limiter, group);
    }
    return group;
  }
}
