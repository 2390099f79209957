// The orders that were let in, and how each is found again.
import type { BookOrder } from './book-order.js';
import type { OrderIdentifier } from './engine-api.js';

export class Orders {
  #kept: BookOrder[] = [];
  readonly #identified = new Map<string, BookOrder[]>();
  #count = 0;

  /** Oldest first: every one, but for those that were forgotten. */
  get kept(): readonly BookOrder[] {
    return this.#kept;
  }

  /** How many were ever let in. */
  get count(): number {
    return this.#count;
  }

  add(order: BookOrder): void {
    this.#count += 1;
    this.#kept.push(order);
    this.#identify(order);
  }

  /** Oldest first; found without a search through all. */
  identifiedBy(account: string, identifier: OrderIdentifier): readonly BookOrder[] {
    return this.#identified.get(keyOf(account, identifier)) ?? [];
  }

  /** Forgets those that ended before, Unix ms. */
  forget(before: number): void {
    this.#kept = this.#kept.filter(({ endedAt }) => endedAt === undefined || endedAt >= Math.floor(before) / 1000);
    this.#identified.clear();
    for (const order of this.#kept) this.#identify(order);
  }

  #identify(order: BookOrder): void {
    const { account, client_order_id } = order.init;
    if (client_order_id === '') return;
    const key = keyOf(account, order.init);
    const identified = this.#identified.get(key);
    if (identified === undefined) this.#identified.set(key, [order]);
    else identified.push(order);
  }
}

function keyOf(account: string, { market, client_order_id }: OrderIdentifier): string {
  return JSON.stringify([account, market, client_order_id]);
}
