// The requests of one client that wait for a permit: ordered by priority, then by arrival. Leaving takes O(1).

/**
 * Which requests that wait for the same rate limit go first:
 * - `urgent`: before all others. A part of each limit and of the requests in flight is reserved for them. For cancels.
 * - `normal`: the default.
 * - `background`: after all others, except for one permit in twenty, so that they are never starved. For polling.
 */
export type Priority = 'urgent' | 'normal' | 'background';

/** Most urgent first. */
export const priorities: readonly Priority[] = ['urgent', 'normal', 'background'];

/** A waiting request. */
export interface Waiter {
  readonly priority: Priority;
  /** Grows with each request, over all queues. */
  readonly arrival: number;
}

/** Orders requests by their turn, for `sort`. */
export function byTurn(one: Waiter, other: Waiter, turn: readonly Priority[] = priorities): number {
  return turn.indexOf(one.priority) - turn.indexOf(other.priority) || one.arrival - other.arrival;
}

/** A place in a queue, linked to its neighbors: leaving needs no search. */
export interface Place<W extends Waiter> {
  readonly waiter: W;
  before: Place<W> | undefined;
  after: Place<W> | undefined;
}

export class ClientQueue<W extends Waiter> {
  readonly #queues: Readonly<Record<Priority, Queue<W>>> = {
    urgent: new Queue(),
    normal: new Queue(),
    background: new Queue(),
  };

  length = 0;
  /** How many of the requests are urgent. */
  urgent = 0;

  join(waiter: W): Place<W> {
    this.#count(waiter, 1);
    return this.#queues[waiter.priority].add(waiter);
  }

  /** Joins before the others of its priority. */
  joinFirst(waiter: W): Place<W> {
    this.#count(waiter, 1);
    return this.#queues[waiter.priority].addFirst(waiter);
  }

  /** Call it at most once for each place. */
  leave(place: Place<W>): void {
    this.#count(place.waiter, -1);
    this.#queues[place.waiter.priority].remove(place);
  }

  /** The next request: the first one of the first of these priorities that is not empty. */
  first(among: readonly Priority[] = priorities): Place<W> | undefined {
    for (const priority of among) {
      const { first } = this.#queues[priority];
      if (first !== undefined) return first;
    }
    return undefined;
  }

  #count({ priority }: W, by: number): void {
    this.length += by;
    if (priority === 'urgent') this.urgent += by;
  }
}

class Queue<W extends Waiter> {
  first: Place<W> | undefined;
  #last: Place<W> | undefined;

  add(waiter: W): Place<W> {
    const place: Place<W> = { waiter, before: this.#last, after: undefined };
    if (this.#last === undefined) this.first = place;
    else this.#last.after = place;
    this.#last = place;
    return place;
  }

  addFirst(waiter: W): Place<W> {
    const place: Place<W> = { waiter, before: undefined, after: this.first };
    if (this.first === undefined) this.#last = place;
    else this.first.before = place;
    this.first = place;
    return place;
  }

  remove({ before, after }: Place<W>): void {
    if (before === undefined) this.first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
  }
}
