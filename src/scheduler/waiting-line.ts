// Those who wait for a permit of one group: by priority, first come first served within one, and left in O(1).

/**
 * How much a request matters among those that wait for the same limit:
 * - `urgent`: before all others, and with reserves that only urgent requests may use: of the limit, and of room in
 *   flight. For cancels.
 * - `normal`: the default.
 * - `background`: after all others, but for one permit in twenty, so that it is never starved. For polling.
 */
export type Priority = 'urgent' | 'normal' | 'background';

/** Most urgent first. */
export const priorities: readonly Priority[] = ['urgent', 'normal', 'background'];

/** One who waits. */
export interface Waiter {
  readonly priority: Priority;
  /** A number that grows from one who comes to the next, over all lines. */
  readonly arrival: number;
}

/** Whose turn is first, for `sort`. */
export function byTurn(one: Waiter, other: Waiter, turn: readonly Priority[] = priorities): number {
  return turn.indexOf(one.priority) - turn.indexOf(other.priority) || one.arrival - other.arrival;
}

/** A place in a line. It knows its neighbours, so that leaving it needs no search. */
export interface Place<W extends Waiter> {
  readonly waiter: W;
  before: Place<W> | undefined;
  after: Place<W> | undefined;
}

/** The line. */
export class WaitingLine<W extends Waiter> {
  readonly #queues: Readonly<Record<Priority, Queue<W>>> = {
    urgent: new Queue(),
    normal: new Queue(),
    background: new Queue(),
  };

  length = 0;
  /** How many of them are urgent. */
  urgent = 0;

  join(waiter: W): Place<W> {
    this.#count(waiter, 1);
    return this.#queues[waiter.priority].add(waiter);
  }

  /** Joins before all others of its priority. */
  joinFirst(waiter: W): Place<W> {
    this.#count(waiter, 1);
    return this.#queues[waiter.priority].addFirst(waiter);
  }

  /** Must be called once at most for each place. */
  leave(place: Place<W>): void {
    this.#count(place.waiter, -1);
    this.#queues[place.waiter.priority].remove(place);
  }

  /** The place of the first one who waits, of the first of these priorities for which anyone does. */
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
