// The orders that entered the engine, and their lookup by client order ID.
import type { BookOrder } from './book-order.js';
import type { OrderIdentifier, OrderReference } from './engine-api.js';

export class Orders {
  /** Oldest first, without the forgotten orders. */
  kept: BookOrder[] = [];
  readonly #byIdentifier = new Map<string, BookOrder[]>();
  /** The accounts that have placed an order on collateral. */
  readonly collateralAccounts = new Set<string>();
  /** The number of all orders, including the forgotten ones. */
  count = 0;

  add(order: BookOrder): void {
    this.count += 1;
    if (order.init.collateral) this.collateralAccounts.add(order.init.account);
    this.kept.push(order);
    this.#index(order);
  }

  /** The account's newest open order with this ID. */
  findOpen(account: string, market: string, reference: OrderReference): BookOrder | undefined {
    return this.kept.findLast(
      ({ init, isOpen }) =>
        isOpen &&
        init.account === account &&
        init.market === market &&
        ('order_id' in reference
          ? init.order_id === reference.order_id
          : init.client_order_id === reference.client_order_id),
    );
  }

  /** The account's open or ended orders, newest first; with an identifier, found by index instead of a scan. */
  list(account: string, isOpen: boolean, identifier?: OrderIdentifier): BookOrder[] {
    const candidates =
      identifier === undefined ? this.kept : (this.#byIdentifier.get(keyOf(account, identifier)) ?? []);
    return candidates.filter((order) => order.init.account === account && order.isOpen === isOpen).reverse();
  }

  openCollateral(account: string): BookOrder[] {
    return this.kept.filter(({ init, isOpen }) => isOpen && init.account === account && init.collateral);
  }

  /** Forgets orders that ended before this time, Unix milliseconds. */
  forget(before: number): void {
    this.kept = this.kept.filter(({ endedAt }) => endedAt === undefined || endedAt >= Math.floor(before) / 1000);
    this.#byIdentifier.clear();
    for (const order of this.kept) this.#index(order);
  }

  #index(order: BookOrder): void {
    const { account, client_order_id } = order.init;
    if (client_order_id === '') return;
    const key = keyOf(account, order.init);
    const identified = this.#byIdentifier.get(key);
    if (identified === undefined) this.#byIdentifier.set(key, [order]);
    else identified.push(order);
  }
}

function keyOf(account: string, { market, client_order_id }: OrderIdentifier): string {
  return JSON.stringify([account, market, client_order_id]);
}
