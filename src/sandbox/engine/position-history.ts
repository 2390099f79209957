// Every change of every position, as far back as the sandbox keeps its records.
import { Journal } from '../retention.js';
import type { PositionChange } from './positions.js';

export class PositionHistory {
  readonly #changes = new Journal<PositionChange>();

  add(change: PositionChange): void {
    this.#changes.push(change);
  }

  /** The changes of the account's positions, newest first. */
  changes(account: string): PositionChange[] {
    return this.#changes.entries.filter((change) => change.account === account).reverse();
  }

  /** The changes that closed a position of the account, newest first. */
  closings(account: string): PositionChange[] {
    return this.changes(account).filter(({ position }) => position.amount.isZero());
  }

  /** Forgets the changes before this time, Unix milliseconds. */
  forget(before: number): void {
    this.#changes.forget(before);
  }
}
