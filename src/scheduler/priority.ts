// The order of requests that wait.
import type { Priority } from '../endpoint/index.js';

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
