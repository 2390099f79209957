// Which identifiers of the user's own a session's orders have. The exchange refuses a second order of an identifier only while the first is open, and an
// order that is looked for by an identifier may be another that had it: so an identifier is one order's until it is known what became of that.
import type { OrderKey } from './endpoint.js';

/** How long an order that was told is remembered: the history of its identifier does not tell earlier orders from later ones for less than this. */
const rememberedMs = 120_000;

/** What is known of an identifier. */
interface Holder {
  /** Who has it. */
  readonly order: object;
  /** How many wait for what becomes of it. */
  waiting: number;
  /** Whether it may stand at the exchange, as far as its sender knows. */
  isInDoubt: boolean;
}

export class OrderIdentifiers {
  readonly #holders = new Map<string, Holder>();
  /** When an order of an identifier was told, by `performance.now()`, the oldest first. */
  readonly #told = new Map<string, number>();

  /** Takes the identifier for an order, as long as someone waits for it or it is in doubt; false when another order has it. */
  take(key: OrderKey, order: object): boolean {
    const holder = this.#holders.get(nameOf(key)) ?? { order, waiting: 0, isInDoubt: false };
    if (holder.order !== order) return false;
    holder.waiting += 1;
    this.#holders.set(nameOf(key), holder);
    return true;
  }

  /** Nobody waits any more, of those for whom it was taken once. */
  leave(key: OrderKey, order: object): void {
    const holder = this.#of(key, order);
    if (holder === undefined) return;
    holder.waiting -= 1;
    this.#free(key, holder);
  }

  /** Whether the order may stand at the exchange. */
  doubt(key: OrderKey, order: object, isInDoubt: boolean): void {
    const holder = this.#of(key, order);
    if (holder !== undefined) holder.isInDoubt = isInDoubt;
  }

  /** It is known what became of the identifier's order, whoever asked: another may have it, unless someone waits for it still. */
  settle(key: OrderKey): void {
    const holder = this.#holders.get(nameOf(key));
    if (holder === undefined) return;
    holder.isInDoubt = false;
    this.#free(key, holder);
  }

  /** Whether someone waits for an order that has the identifier. */
  isAwaited(key: OrderKey): boolean {
    return (this.#holders.get(nameOf(key))?.waiting ?? 0) > 0;
  }

  /** This order of the exchange was told to who placed it. */
  tell(key: OrderKey, orderId: unknown): void {
    const now = performance.now();
    for (const [name, at] of this.#told) {
      if (now - at < rememberedMs) break;
      this.#told.delete(name);
    }
    this.#told.set(nameOf(key, orderId), now);
  }

  /** Whether this order of the exchange was told to one who placed it already. */
  wasTold(key: OrderKey, orderId: unknown): boolean {
    return this.#told.has(nameOf(key, orderId));
  }

  #of(key: OrderKey, order: object): Holder | undefined {
    const holder = this.#holders.get(nameOf(key));
    return holder?.order === order ? holder : undefined;
  }

  #free(key: OrderKey, { waiting, isInDoubt }: Holder): void {
    if (waiting <= 0 && !isInDoubt) this.#holders.delete(nameOf(key));
  }
}

function nameOf({ market, client_order_id }: OrderKey, orderId?: unknown): string {
  return JSON.stringify([market, client_order_id, orderId]);
}
