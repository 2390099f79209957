// The orders that entered the engine.
import type { BookOrder } from './book-order.js';
import type { OrderReference } from './engine-api.js';

export class Orders {
  /** Oldest first, without the forgotten orders. */
  kept: BookOrder[] = [];
  /** Oldest first. */
  readonly allOpen = new Set<BookOrder>();
  /** The accounts that have placed an order on collateral. */
  readonly collateralAccounts = new Set<string>();
  /** The number of all orders, including the forgotten ones. */
  count = 0;

  add(order: BookOrder): void {
    this.count += 1;
    if (order.init.collateral) this.collateralAccounts.add(order.init.account);
    this.kept.push(order);
    this.allOpen.add(order);
  }

  /** The order has ended. */
  close(order: BookOrder): void {
    this.allOpen.delete(order);
  }

  /** The account's open orders, oldest first. */
  open(account: string): BookOrder[] {
    return [...this.allOpen].filter(({ init }) => init.account === account);
  }

  openCollateral(account: string): BookOrder[] {
    return this.open(account).filter(({ init }) => init.collateral);
  }

  /** The account's ended orders, oldest first. */
  ended(account: string): BookOrder[] {
    return this.kept.filter(({ init, isOpen }) => !isOpen && init.account === account);
  }

  /** The account's newest open order with this ID. */
  findOpen(account: string, market: string, reference: OrderReference): BookOrder | undefined {
    return this.open(account).findLast(
      ({ init }) =>
        init.market === market &&
        ('order_id' in reference
          ? init.order_id === reference.order_id
          : init.client_order_id === reference.client_order_id),
    );
  }

  /** Forgets orders that ended before this time, Unix milliseconds. */
  forget(before: number): void {
    this.kept = this.kept.filter(({ endedAt }) => endedAt === undefined || endedAt >= Math.floor(before) / 1000);
  }
}
