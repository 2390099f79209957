// What the history shows: an order that ended, or a deal, can be missing from it for a while.
import type { LedgerFill, LedgerOrder } from './ledger.js';

export class HistoryLag {
  /** When each hidden order or deal is shown, Unix milliseconds. */
  readonly #hidden = new Map<string, number>();

  constructor(
    private readonly now: () => number,
    /** How long every order is missing after its end, milliseconds. */
    private readonly orderLagMs: number,
  ) {}

  hideOrder({ order_id }: LedgerOrder, ms: number): void {
    this.#hidden.set(keyOfOrder(order_id), this.now() + ms);
  }

  hideDeal(fill: LedgerFill, ms: number): void {
    this.#hidden.set(keyOfDeal(fill), this.now() + ms);
  }

  showsOrder({ order_id, ftime = 0 }: LedgerOrder): boolean {
    // The microseconds of a timestamp count the timestamps of one millisecond, so the whole millisecond has to be over.
    const shownBefore = (Math.floor(this.now() - this.orderLagMs) + 1) / 1000;
    return ftime < shownBefore && this.#shows(keyOfOrder(order_id));
  }

  showsDeal(fill: LedgerFill): boolean {
    return this.#shows(keyOfDeal(fill));
  }

  #shows(key: string): boolean {
    if ((this.#hidden.get(key) ?? 0) > this.now()) return false;
    this.#hidden.delete(key);
    return true;
  }
}

function keyOfOrder(order_id: number): string {
  return `order ${order_id}`;
}

/** A deal between two orders of one account has two records of one ID. */
function keyOfDeal({ id, order_id }: LedgerFill): string {
  return `deal ${id} ${order_id}`;
}
