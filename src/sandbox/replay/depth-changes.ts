// Consecutive changes of a book as one: while no order can meet it, only the last amount of each price counts.
import type { Changes } from '../engine/index.js';
import type { ReadFrame } from './recorded-frame.js';

export class DepthChanges {
  readonly #bids = new Map<string, string>();
  readonly #asks = new Map<string, string>();
  #last: ReadFrame | undefined;
  /** When the last one was received. */
  receivedAt = 0;

  constructor(private readonly updateId: number | undefined) {}

  add(frame: ReadFrame, receivedAt: number): boolean {
    const [event] = frame.events;
    const updateId = this.#last?.updateId ?? this.updateId;
    if (event?.kind !== 'frame' || event.isSnapshot || frame.pastUpdateId !== updateId) return false;
    put(this.#bids, event.buy);
    put(this.#asks, event.sell);
    this.#last = frame;
    this.receivedAt = receivedAt;
    return true;
  }

  frame(): ReadFrame | undefined {
    const [event] = this.#last?.events ?? [];
    if (this.#last === undefined || event?.kind !== 'frame') return undefined;
    return { ...this.#last, events: [{ ...event, buy: [...this.#bids], sell: [...this.#asks] }] };
  }
}

function put(amounts: Map<string, string>, changes: Changes): void {
  for (const [price, amount] of changes) {
    // The last one is applied last, however its price is written.
    amounts.delete(price);
    amounts.set(price, amount);
  }
}
