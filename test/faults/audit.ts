// What a caller was told of an order, against what the exchange's ledger says of it.
import { isExchangeError, type Order } from 'exchange-rx';
import type { Sandbox } from 'exchange-rx/sandbox';
import type { Observable } from 'rxjs';

/** What a caller learned. */
export type Told =
  | { readonly as: 'order'; readonly order: Order }
  | { readonly as: 'not-placed' | 'unknown'; readonly client_order_id: string; readonly error: unknown };

/** What was learned of an order; `foreign` is an error that the package should not end with. */
export interface Learned {
  told: Told | undefined;
  foreign: unknown;
}

/** Keeps what the order came to; `onEnd` is called when it has. */
export function learn(order$: Observable<Order>, onEnd: (learned: Learned) => void = () => undefined): Learned {
  const learned: Learned = { told: undefined, foreign: undefined };
  order$.subscribe({
    next: (order) => {
      learned.told = { as: 'order', order };
    },
    error: (error: unknown) => {
      if (!isExchangeError(error) || error.client_order_id === undefined) learned.foreign = error;
      else learned.told = { as: error.outcome === 'unknown' ? 'unknown' : 'not-placed', client_order_id: error.client_order_id, error };
      onEnd(learned);
    },
    complete: () => {
      onEnd(learned);
    },
  });
  return learned;
}

export interface Audit {
  /** Identifiers of which the ledger has more than one order. */
  doubled: number;
  /** Callers who were told of an order that is not there. */
  lost: number;
  /** Callers who were told something else than the ledger says. */
  misreported: number;
  unknown: number;
}

/** Compares what callers were told with the ledger. */
export function audit({ ledger }: Sandbox, all: readonly Told[]): Audit {
  const placed = new Map<string, (typeof ledger.orders)[number][]>();
  for (const order of ledger.orders) placed.set(order.client_order_id, [...(placed.get(order.client_order_id) ?? []), order]);
  const found: Audit = { doubled: 0, lost: 0, misreported: 0, unknown: 0 };
  for (const orders of placed.values()) if (orders.length > 1) found.doubled += 1;
  for (const told of all) {
    if (told.as === 'order') {
      const [order] = placed.get(told.order.client_order_id) ?? [];
      if (order === undefined) found.lost += 1;
      else if (order.order_id !== told.order.order_id || order.side !== told.order.side || order.market !== told.order.market) found.misreported += 1;
    } else if (told.as === 'not-placed') {
      if (placed.has(told.client_order_id)) found.misreported += 1;
    } else {
      found.unknown += 1;
    }
  }
  return found;
}
