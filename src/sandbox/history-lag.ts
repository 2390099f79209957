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

  hide(record: LedgerOrder | LedgerFill, ms: number): void {
    this.#hidden.set(keyOf(record), this.now() + ms);
  }

  shows(record: LedgerOrder | LedgerFill): boolean {
    // The microseconds of a timestamp count the timestamps of one millisecond, so the whole millisecond has to be over.
    const shownBefore = (Math.floor(this.now() - this.orderLagMs) + 1) / 1000;
    if ('ftime' in record && record.ftime >= shownBefore) return false;
    const key = keyOf(record);
    if ((this.#hidden.get(key) ?? 0) > this.now()) return false;
    this.#hidden.delete(key);
    return true;
  }
}

/** A deal between two orders of one account has two records of one ID. */
function keyOf(record: LedgerOrder | LedgerFill): string {
  return 'role' in record ? `deal ${record.id} ${record.order_id}` : `order ${record.order_id}`;
}
