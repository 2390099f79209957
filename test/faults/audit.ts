// Compares the result that a caller got for each order with the exchange's ledger. Each intent has its own amount, so
// that an exchange that drops identifiers cannot hide a double.
import { isExchangeError, type Order } from 'exchange-rx';
import type { Sandbox } from 'exchange-rx/sandbox';
import type { Observable } from 'rxjs';

/** The result that a caller got for the order with this amount. */
export type Reported = { readonly amount: string } & (
  { readonly as: 'order'; readonly order: Order } | { readonly as: 'not-placed' | 'unknown'; readonly error: unknown }
);

/**
 * The result of an order. `foreign` is an error that is not of this package, which is a bug; `reported` is then
 * undefined.
 */
export interface Learned {
  reported: Reported | undefined;
  foreign: unknown;
}

/** Keeps the result of the order; `onEnd` is called when it has one. */
export function learn(
  order$: Observable<Order>,
  amount: string,
  onEnd: (learned: Learned) => void = () => undefined,
): Learned {
  const learned: Learned = { reported: undefined, foreign: undefined };
  let hasSurplus = false;
  const end = () => {
    if (hasSurplus) {
      learned.reported = undefined;
      learned.foreign = new Error(`the observable of the order of ${amount} emitted it, and did not complete`);
    }
    onEnd(learned);
  };
  order$.subscribe({
    next: (order) => {
      if (learned.reported !== undefined) hasSurplus = true;
      learned.reported = { as: 'order', amount, order };
    },
    error: (error: unknown) => {
      if (learned.reported !== undefined) hasSurplus = true;
      if (!isExchangeError(error) || error.client_order_id === undefined) learned.foreign = error;
      else learned.reported = { as: error.outcome === 'unknown' ? 'unknown' : 'not-placed', amount, error };
      end();
    },
    complete: end,
  });
  return learned;
}

export interface Audit {
  /** Intents with more than one order in the ledger. */
  doubled: number;
  /** Callers who got an order that the ledger lacks. */
  lost: number;
  /** Callers whose result differs from the ledger. */
  misreported: number;
  unknown: number;
  /** The lost and misreported orders. */
  readonly mistakes: readonly Mistake[];
}

/** A lost or misreported order: the result of its caller, and the order in the ledger. */
export interface Mistake {
  readonly reported: Reported;
  readonly order: Sandbox['ledger']['orders'][number] | undefined;
}

/** An amount that no other order has, as the ledger writes it: without zeros at its end. */
export function uniqueAmount(base: number, index: number, places: number): string {
  return String(Number((base + index / 10 ** places).toFixed(places)));
}

/** Compares the results of callers with the ledger. */
export function audit({ ledger }: Sandbox, all: readonly Reported[]): Audit {
  const placed = new Map<string, (typeof ledger.orders)[number][]>();
  for (const order of ledger.orders) placed.set(order.amount, [...(placed.get(order.amount) ?? []), order]);
  const mistakes: Mistake[] = [];
  const found: Audit = { doubled: 0, lost: 0, misreported: 0, unknown: 0, mistakes };
  // The two orders of an OCO order are one.
  for (const orders of placed.values())
    if (new Set(orders.map(({ ocoId, order_id }) => ocoId ?? order_id)).size > 1) found.doubled += 1;
  for (const reported of all) {
    const orders = placed.get(reported.amount) ?? [];
    const order =
      orders.find(({ order_id }) => reported.as === 'order' && order_id === reported.order.order_id) ?? orders[0];
    const before = found.lost + found.misreported;
    if (reported.as === 'order') {
      if (order === undefined) found.lost += 1;
      else if (
        order.order_id !== reported.order.order_id ||
        order.side !== reported.order.side ||
        order.market !== reported.order.market
      )
        found.misreported += 1;
    } else if (reported.as === 'not-placed') {
      if (order !== undefined) found.misreported += 1;
    } else {
      found.unknown += 1;
    }
    if (found.lost + found.misreported > before) mistakes.push({ reported, order });
  }
  return found;
}
