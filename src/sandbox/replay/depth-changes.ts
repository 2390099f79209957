// Consecutive changes of a book as one: while no order can meet it, only the last amount of each price counts.
import { decimal, decimalPattern } from '../../model/decimal.js';
import type { MarketEvent } from '../engine/index.js';
import { depthOf } from './recorded-frame.js';

export class DepthChanges {
  readonly #bids = new Map<string, string>();
  readonly #asks = new Map<string, string>();
  #at = 0;

  /** @param updateId the number of the book that is changed */
  constructor(public updateId: number | undefined) {}

  /** Returns the engine time of the change, Unix milliseconds; `undefined` for a message that is no change of this book. */
  add(text: string): number | undefined {
    const message = depthOf(text);
    if (message === undefined || message.isSnapshot || message.pastUpdateId !== this.updateId) return undefined;
    const { at, updateId, bids, asks } = message;
    if (!isRows(bids) || !isRows(asks)) return undefined;
    put(this.#bids, bids);
    put(this.#asks, asks);
    this.updateId = updateId;
    this.#at = at;
    return at;
  }

  /** All changes as one. */
  event(): MarketEvent {
    return { kind: 'frame', at: this.#at, isSnapshot: false, buy: changesOf(this.#bids), sell: changesOf(this.#asks) };
  }
}

type Rows = readonly (readonly [price: string, amount: string])[];

function isRows(value: unknown): value is Rows {
  return Array.isArray(value) && value.every((row) => Array.isArray(row) && row.length === 2 && row.every(isDecimal));
}

function isDecimal(value: unknown): boolean {
  return typeof value === 'string' && decimalPattern.test(value);
}

function put(amounts: Map<string, string>, rows: Rows): void {
  for (const [price, amount] of rows) {
    // The last one is applied last, however its price is written.
    amounts.delete(price);
    amounts.set(price, amount);
  }
}

function changesOf(amounts: ReadonlyMap<string, string>) {
  return [...amounts].map(([price, amount]) => [decimal(price), decimal(amount)] as const);
}
