// Compares the known orders of a market with those of REST: what pushes have missed.
import { defer, forkJoin, map, of, switchMap, timer, type Observable } from 'rxjs';
import type { LiveOrder } from '../../model/live-order.js';
import type { Order } from '../../model/order.js';
import type { SeenOrder } from '../channels/account.js';
import type { OrderStates } from './order-states.js';
import { compareAge } from './order-version.js';

/** The requests by which orders are read. */
export interface OrderReads {
  /** The open orders of a market. */
  openOrders(market: string): Observable<ListedOrders<Order>>;
  /** An order that has ended; completes when the history does not show it. */
  endedOrder(key: { readonly market: string; readonly order_id: number }): Observable<LiveOrder>;
  /** The open orders with an identifier, and those that have ended. */
  ordersOf(key: { readonly market: string; readonly client_order_id: string }): Observable<SeenOrder>;
  /** The newest orders of a market that have ended since a time, Unix seconds. */
  endedOrders(since: { readonly market: string; readonly from: number }): Observable<ListedOrders<LiveOrder>>;
}

/** Orders of a list. */
export interface ListedOrders<One> {
  readonly orders: readonly One[];
  /** Whether no order is left out: each could be read, and the exchange lists no further ones. */
  readonly isWhole: boolean;
}

export interface OrderCheck {
  readonly market: string;
  /** From when on the history is read, Unix seconds. `undefined`: it is not read. */
  readonly from: number | undefined;
  /** The exchange's time when the subscription began, Unix seconds: what had ended before is no change. */
  readonly beganAt: number;
  /** How long a push may take: what was pushed by then was not lost. 0: it is known that pushes are missing. */
  readonly graceMs: number;
}

/** What a check has found. */
export interface CheckedOrders {
  /** What the pushes have missed. */
  readonly missed: readonly SeenOrder[];
  /** Orders that were open and are not listed as such, and that the history does not show. */
  readonly unknown: readonly number[];
  /** Whether every order that has ended was read. */
  readonly isWhole: boolean;
  /** Whether every open order was read. */
  readonly isOpenWhole: boolean;
}

/** An order that opens while the lists are read is missing from none of them: only those that were open before count. */
export function checkOrders(states: OrderStates, reads: OrderReads, check: OrderCheck): Observable<CheckedOrders> {
  const { market, from, beganAt, graceMs } = check;
  return defer(() => {
    const openBefore = states.open.map(({ order_id }) => order_id);
    const ended$ = from === undefined ? of({ orders: [], isWhole: true }) : reads.endedOrders({ market, from });
    return forkJoin([reads.openOrders(market), ended$]).pipe(
      map(([open, ended]) => {
        const isOfNow = ({ order_id, mtime = beganAt }: LiveOrder) => mtime >= beganAt || states.has(order_id);
        const seen: readonly SeenOrder[] = [
          ...ended.orders.filter(isOfNow).map((order) => ({ order, hasEnded: true })),
          ...open.orders.map((order) => ({ order })),
        ];
        const listed = new Set(seen.map(({ order }) => order.order_id));
        return () => ({
          // In the order in which they were placed: each modification is known before the next one.
          missed: seen.filter((one) => states.isNews(one)).toSorted((one, other) => compareAge(one.order, other.order)),
          // Absence from a list proves nothing: only the history says how an order has ended.
          unknown: openBefore.filter((id) => !listed.has(id) && states.isOpen(id)),
          ...{ isWhole: ended.isWhole && open.isWhole, isOpenWhole: open.isWhole },
        });
      }),
      switchMap((find) => {
        const found = find();
        // Without a difference there is nothing to wait for.
        const isSame = found.missed.length === 0 && found.unknown.length === 0;
        return isSame || graceMs === 0 ? of(found) : timer(graceMs).pipe(map(find));
      }),
    );
  });
}
