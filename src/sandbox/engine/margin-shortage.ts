// Open orders that an account no longer has the margin for, because losses, fees, funding or a withdrawal took it: the
// losses of open positions, too.
import type { Decimal } from '../../model/decimal.js';
import type { AccountRisk } from './account-risk.js';
import type { Margin } from './margin.js';
import type { OrderBook } from './order-book.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { Orders } from './orders.js';

export interface MarginShortageParts {
  readonly risk: AccountRisk;
  readonly orders: Orders;
  readonly margin: Margin;
  readonly lifecycle: OrderLifecycle;
  readonly bookOf: (market: string) => OrderBook;
}

export class MarginShortage {
  /** The equity of each account at its last check: its margin can become short only when the equity falls. */
  readonly #equities = new Map<string, Decimal>();

  constructor(private readonly parts: MarginShortageParts) {}

  /** Cancels orders of the accounts whose equity has fallen, the newest first, until the margin suffices. */
  check(): void {
    const { risk, orders } = this.parts;
    for (const account of orders.collateralAccounts) {
      const equity = risk.equity(account);
      const before = this.#equities.get(account);
      if (before?.isLessThanOrEqualTo(equity) !== true) this.#cancel(account);
      this.#equities.set(account, equity);
    }
  }

  #cancel(account: string): void {
    const { orders, margin, lifecycle, bookOf } = this.parts;
    if (!margin.isShort(account)) return;
    for (const order of orders.openCollateral(account).reverse()) {
      if (!order.isOpen || order.init.reduceOnly === true) continue;
      lifecycle.finish(order, bookOf(order.init.market), 'AUTO_CANCELED_USER_MARGIN');
      if (!margin.isShort(account)) return;
    }
  }
}
