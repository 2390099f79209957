// The orders that entered the engine.
import { notFound } from './admission.js';
import type { BookOrder } from './book-order.js';

export type OrderReference = { readonly order_id: number } | { readonly client_order_id: string };

export class Orders {
  /** Oldest first, without the forgotten orders. */
  kept: BookOrder[] = [];
  /** Oldest first. */
  readonly allOpen = new Set<BookOrder>();
  readonly collateralAccounts = new Set<string>();
  /** The number of all orders, including the forgotten ones. */
  count = 0;

  add(order: BookOrder): void {
    this.count += 1;
    if (order.init.collateral) this.collateralAccounts.add(order.init.account);
    this.kept.push(order);
    this.allOpen.add(order);
  }

  open(account: string): BookOrder[] {
    return [...this.allOpen].filter(({ init }) => init.account === account);
  }

  openCollateral(account: string): BookOrder[] {
    return this.open(account).filter(({ init }) => init.collateral);
  }

  ended(account: string): BookOrder[] {
    return this.kept.filter(({ init, isOpen }) => !isOpen && init.account === account);
  }

  openOrder(account: string, market: string, reference: OrderReference): BookOrder {
    const order = this.findOpen(account, market, reference);
    if (order === undefined) throw notFound('order_id');
    return order;
  }

  findOpen(account: string, market: string, reference: OrderReference): BookOrder | undefined {
    return this.open(account).findLast(
      ({ init }) =>
        init.market === market &&
        ('order_id' in reference
          ? init.order_id === reference.order_id
          : init.client_order_id === reference.client_order_id),
    );
  }

  forget(before: number): void {
    this.kept = this.kept.filter(({ endedAt }) => endedAt === undefined || endedAt >= Math.floor(before) / 1000);
  }
}
