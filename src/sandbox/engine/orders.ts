// Every order that was let in, and how it is found again.
import type { LedgerOrder } from '../ledger.js';
import type { BookOrder } from './book-order.js';

/** What an account calls an order of a market. */
type Identity = Pick<LedgerOrder, 'account' | 'market' | 'client_order_id'>;

export class Orders {
  #kept: BookOrder[] = [];
  readonly #identified = new Map<string, BookOrder[]>();
  #count = 0;
  #forgotAt = 0;

  constructor(private readonly retentionMs: number) {}

  /** Oldest first. */
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

  /** Oldest first; found without a search through all that are kept. */
  identifiedBy(identity: Identity): readonly BookOrder[] {
    return this.#identified.get(keyOf(identity)) ?? [];
  }

  /**
   * Forgets orders that ended longer ago than the retention, by `now`, Unix ms. It looks through them only as often as the retention: looking at each
   * time would cost more than the orders do.
   */
  forget(now: number): void {
    if (now - this.#forgotAt <= this.retentionMs) return;
    this.#forgotAt = now;
    this.#kept = this.#kept.filter(({ isOpen, endedAt = 0 }) => isOpen || endedAt * 1000 >= now - this.retentionMs);
    this.#identified.clear();
    for (const order of this.#kept) this.#identify(order);
  }

  #identify(order: BookOrder): void {
    if (order.init.client_order_id === '') return;
    const key = keyOf(order.init);
    const identified = this.#identified.get(key);
    if (identified === undefined) this.#identified.set(key, [order]);
    else identified.push(order);
  }
}

function keyOf({ account, market, client_order_id }: Identity): string {
  return JSON.stringify([account, market, client_order_id]);
}
