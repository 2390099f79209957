// What a caller was told of an order, against what the exchange's ledger says of it. Orders are told apart by their
// amounts, which no two intents share: an exchange that drops identifiers cannot hide a double.
import { isExchangeError, type Order } from 'exchange-rx';
import type { Sandbox } from 'exchange-rx/sandbox';
import type { Observable } from 'rxjs';

/** What a caller learned of the order with this amount. */
export type Told = { readonly amount: string } & (
  { readonly as: 'order'; readonly order: Order } | { readonly as: 'not-placed' | 'unknown'; readonly error: unknown }
);

/**
 * What was learned of an order; `foreign` is an error that the package should not end with. Nothing is told of an order
 * that ends with one.
 */
export interface Learned {
  told: Told | undefined;
  foreign: unknown;
}

/** Keeps the result of the order; `onEnd` is called when it has one. */
export function learn(
  order$: Observable<Order>,
  amount: string,
  onEnd: (learned: Learned) => void = () => undefined,
): Learned {
  const learned: Learned = { told: undefined, foreign: undefined };
  let hasSurplus = false;
  const end = () => {
    if (hasSurplus) {
      learned.told = undefined;
      learned.foreign = new Error(`the observable of the order of ${amount} emitted it, and then went on`);
    }
    onEnd(learned);
  };
  order$.subscribe({
    next: (order) => {
      if (learned.told !== undefined) hasSurplus = true;
      learned.told = { as: 'order', amount, order };
    },
    error: (error: unknown) => {
      if (learned.told !== undefined) hasSurplus = true;
      if (!isExchangeError(error) || error.client_order_id === undefined) learned.foreign = error;
      else learned.told = { as: error.outcome === 'unknown' ? 'unknown' : 'not-placed', amount, error };
      end();
    },
    complete: end,
  });
  return learned;
}

export interface Audit {
  /** Intents of which the ledger has more than one order. */
  doubled: number;
  /** Callers who were told of an order that is not there. */
  lost: number;
  /** Callers who were told something else than the ledger says. */
  misreported: number;
  unknown: number;
  /** What the caller of each lost or misreported order was told, and what the ledger says. */
  readonly mistakes: readonly Mistake[];
}

/** A lost or misreported order: what its caller was told, and what the ledger says. */
export interface Mistake {
  readonly told: Told;
  readonly order: Sandbox['ledger']['orders'][number] | undefined;
}

/** An amount that no other order has, as the ledger writes it: without zeros at its end. */
export function uniqueAmount(base: number, index: number, places: number): string {
  return String(Number((base + index / 10 ** places).toFixed(places)));
}

/** Compares what callers were told with the ledger. */
export function audit({ ledger }: Sandbox, all: readonly Told[]): Audit {
  const placed = new Map<string, (typeof ledger.orders)[number][]>();
  for (const order of ledger.orders) placed.set(order.amount, [...(placed.get(order.amount) ?? []), order]);
  const mistakes: Mistake[] = [];
  const found: Audit = { doubled: 0, lost: 0, misreported: 0, unknown: 0, mistakes };
  for (const orders of placed.values()) if (orders.length > 1) found.doubled += 1;
  for (const told of all) {
    const [order] = placed.get(told.amount) ?? [];
    const before = found.lost + found.misreported;
    if (told.as === 'order') {
      if (order === undefined) found.lost += 1;
      else if (
        order.order_id !== told.order.order_id ||
        order.side !== told.order.side ||
        order.market !== told.order.market
      )
        found.misreported += 1;
    } else if (told.as === 'not-placed') {
      if (order !== undefined) found.misreported += 1;
    } else {
      found.unknown += 1;
    }
    if (found.lost + found.misreported > before) mistakes.push({ told, order });
  }
  return found;
}
