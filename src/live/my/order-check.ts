// Compares the known orders of a market with those of REST: what pushes have missed.
import { defaultIfEmpty, forkJoin, from, map, mergeMap, of, switchMap, toArray, type Observable } from 'rxjs';
import type { LiveOrder } from '../../model/live-order.js';
import type { SeenOrder } from '../channels/account.js';
import type { OrderReads } from './account.js';
import type { OrderStates } from './order-states.js';

export interface CheckedOrders {
  /** The open orders, those that have ended, and those that were looked up because neither list had them. */
  readonly seen: readonly SeenOrder[];
  /** Orders that were open and are not listed as such, and that the history does not show. */
  readonly unknown: readonly number[];
  /** Whether every order that has ended was read. */
  readonly isWhole: boolean;
  /** Whether every open order was read. */
  readonly isOpenWhole: boolean;
}

const lookupsAtOnce = 4;

/**
 * @param since from when on the history is read, Unix seconds. `undefined`: it is not read
 * @param beganAt when the subscription began, Unix seconds: an order that had ended before is no change
 */
export function checkOrders(
  states: OrderStates,
  reads: OrderReads,
  market: string,
  since: number | undefined,
  beganAt: number,
): Observable<CheckedOrders> {
  // An order that opens while the lists are read is missing from none of them.
  const openBefore = states.open.map(({ order_id }) => order_id);
  const isOfNow = ({ order_id, mtime = beganAt }: LiveOrder) => mtime >= beganAt || states.has(order_id);
  const ended$ = since === undefined ? of({ orders: [], isWhole: true }) : reads.endedOrders({ market, from: since });
  return forkJoin({ open: reads.openOrders(market), ended: ended$ }).pipe(
    switchMap(({ open, ended }) => {
      const listed = [
        ...ended.orders.filter(isOfNow).map(seenEnd),
        ...open.orders.map((order): SeenOrder => ({ order })),
      ];
      const ids = new Set(listed.map(({ order }) => order.order_id));
      const missing = openBefore.filter((id) => !ids.has(id) && states.isOpen(id));
      return lookUp(reads, market, missing).pipe(
        map((found) => ({
          seen: [...found.filter((one) => typeof one === 'object'), ...listed],
          unknown: found.filter((one) => typeof one === 'number'),
          isWhole: ended.isWhole && open.isWhole,
          isOpenWhole: open.isWhole,
        })),
      );
    }),
  );
}

/** Orders that have ended, and the numbers of those that the history does not show: absence from a list proves nothing. */
function lookUp(reads: OrderReads, market: string, missing: readonly number[]) {
  return from(missing).pipe(
    mergeMap(
      (order_id) => reads.endedOrder({ market, order_id }).pipe(map(seenEnd), defaultIfEmpty(order_id)),
      lookupsAtOnce,
    ),
    toArray(),
  );
}

function seenEnd(order: LiveOrder): SeenOrder {
  return { order, hasEnded: true };
}
