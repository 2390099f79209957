// Which identifiers of the user's own a session's orders have. The exchange refuses a second order of an identifier only while the first is open, and an
// order that is looked for by an identifier may be another that had it: so an identifier is one order's until it is known what became of that.
import type { OrderKey } from './endpoint.js';

/** How many orders that were told are remembered. */
const mostTold = 50_000;

/** The order that has an identifier. */
interface Holder {
  readonly order: OrderKey;
  /** How many wait for what becomes of it. */
  waiting: number;
  /** When it was last sent, as long as it may stand at the exchange, or come to, as far as is known. */
  inDoubtSince: Sending | undefined;
}

/** When a request was sent. */
export interface Sending {
  /** By `performance.now()`. */
  readonly at: number;
  /** By the exchange's clock, Unix ms. */
  readonly atExchange: number;
}

/** Orders are told apart by identity: the key that one is placed with is the order. */
export class OrderIdentifiers {
  readonly #holders = new Map<string, Holder>();
  /** For whom an order of the exchange was told, the oldest first. */
  readonly #told = new Map<string, OrderKey>();

  /** The order takes its identifier, as long as someone waits for it or it is in doubt; false when another order has it. */
  take(order: OrderKey): boolean {
    const holder = this.#holders.get(nameOf(order)) ?? { order, waiting: 0, inDoubtSince: undefined };
    if (holder.order !== order) return false;
    holder.waiting += 1;
    this.#holders.set(nameOf(order), holder);
    return true;
  }

  /** One who waited for the order does so no more. */
  leave(order: OrderKey): void {
    const holder = this.#of(order);
    if (holder === undefined) return;
    holder.waiting -= 1;
    this.#freeUnlessNeeded(holder);
  }

  /** The order was sent: it may stand at the exchange. */
  sent(order: OrderKey, sending: Sending): void {
    const holder = this.#of(order);
    if (holder !== undefined) holder.inDoubtSince = sending;
  }

  /** The order is known not to stand at the exchange, nor to come to. */
  isNowhere(order: OrderKey): void {
    const holder = this.#of(order);
    if (holder === undefined) return;
    holder.inDoubtSince = undefined;
    this.#freeUnlessNeeded(holder);
  }

  /** This is what the order came to: another may have its identifier. */
  tell(order: OrderKey, orderId: unknown): void {
    if (this.#of(order) !== undefined) this.#holders.delete(nameOf(order));
    this.#remember(order, orderId);
  }

  /**
   * This is what someone was told who asked what became of an identifier. It is the order that is in doubt, unless that cannot be: one that was told for
   * another, or was placed (Unix ms) before that was sent.
   */
  tellAsked(asked: OrderKey, orderId: unknown, placedAt: number, toleranceMs: number): void {
    if (this.#told.has(nameOf(asked, orderId))) return;
    const holder = this.#holders.get(nameOf(asked));
    const since = holder?.inDoubtSince?.atExchange;
    if (holder === undefined || since === undefined || placedAt < since - toleranceMs) this.#remember(asked, orderId);
    else if (holder.waiting > 0) this.#remember(holder.order, orderId);
    else this.tell(holder.order, orderId);
  }

  /** Someone who asked what became of an identifier was told that there is no order, nor can come one of what was sent before (`performance.now()`). */
  tellNowhere(asked: OrderKey, before: number): void {
    const holder = this.#holders.get(nameOf(asked));
    if (holder?.inDoubtSince !== undefined && holder.waiting === 0 && holder.inDoubtSince.at < before) this.isNowhere(holder.order);
  }

  /** Whether someone waits for an order that has the identifier. */
  isAwaited(key: OrderKey): boolean {
    return (this.#holders.get(nameOf(key))?.waiting ?? 0) > 0;
  }

  /** Whether this order of the exchange was told for another than this one. */
  isAnothers(order: OrderKey, orderId: unknown): boolean {
    if (orderId === undefined) return false;
    return (this.#told.get(nameOf(order, orderId)) ?? order) !== order;
  }

  #remember(order: OrderKey, orderId: unknown): void {
    if (orderId === undefined) return;
    this.#told.set(nameOf(order, orderId), order);
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= mostTold) break;
      this.#told.delete(oldest);
    }
  }

  #of(order: OrderKey): Holder | undefined {
    const holder = this.#holders.get(nameOf(order));
    return holder?.order === order ? holder : undefined;
  }

  #freeUnlessNeeded({ order, waiting, inDoubtSince }: Holder): void {
    if (waiting <= 0 && inDoubtSince === undefined) this.#holders.delete(nameOf(order));
  }
}

function nameOf({ market, client_order_id }: OrderKey, orderId?: unknown): string {
  return JSON.stringify([market, client_order_id, orderId]);
}
