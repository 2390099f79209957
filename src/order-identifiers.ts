// What a session knows of the identifiers that its user gave to orders. The exchange takes an identifier again once its order has ended: so an order
// that is found by one may be another that had it before.
import type { OrderKey } from './endpoint.js';

/** How many orders that were told are remembered. */
const mostTold = 50_000;

/** Orders are told apart by identity: the key that one is placed with is the order. */
export class OrderIdentifiers {
  /** Whose result an order of the exchange was, the oldest first. */
  readonly #told = new Map<string, OrderKey>();
  /** How many wait for orders of an identifier. */
  readonly #awaited = new Map<string, number>();

  /** This is what the order came to. */
  tell(order: OrderKey, orderId: unknown): void {
    if (orderId === undefined) return;
    this.#told.set(nameOf(order, orderId), order);
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= mostTold) break;
      this.#told.delete(oldest);
    }
  }

  /** Whether this is what another order came to. */
  isAnothers(order: OrderKey, orderId: unknown): boolean {
    return (this.#told.get(nameOf(order, orderId)) ?? order) !== order;
  }

  /** Someone waits for an order of the identifier; returns how to say that it is over. */
  wait(order: OrderKey): () => void {
    const name = nameOf(order);
    this.#awaited.set(name, (this.#awaited.get(name) ?? 0) + 1);
    return () => {
      const others = (this.#awaited.get(name) ?? 1) - 1;
      if (others === 0) this.#awaited.delete(name);
      else this.#awaited.set(name, others);
    };
  }

  /** Whether someone waits for an order of the identifier: it may be sent yet. */
  isAwaited(key: OrderKey): boolean {
    return this.#awaited.has(nameOf(key));
  }
}

function nameOf({ market, client_order_id }: OrderKey, orderId?: unknown): string {
  return JSON.stringify([market, client_order_id, orderId]);
}
