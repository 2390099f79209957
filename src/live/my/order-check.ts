// Compares the known orders of a market with those of REST: what pushes have missed.
import { defaultIfEmpty, defer, forkJoin, from, map, mergeMap, of, switchMap, toArray, type Observable } from 'rxjs';
import type { LiveOrder } from '../../model/live-order.js';
import type { SeenOrder } from '../channels/account.js';
import type { OrderReads } from './account.js';
import type { OrderStates } from './order-states.js';

export interface OrderCheck {
  readonly market: string;
  /** From when on the history is read, Unix seconds. `undefined`: it is not read. */
  readonly from: number | undefined;
  /** The exchange's time when the subscription began, Unix seconds: what had ended before is no change. */
  readonly beganAt: number;
}

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

/** An order that opens while the lists are read is missing from none of them: only those that were open before count. */
export function checkOrders(states: OrderStates, reads: OrderReads, check: OrderCheck): Observable<CheckedOrders> {
  const { market, from: since, beganAt } = check;
  return defer(() => {
    const openBefore = states.open.map(({ order_id }) => order_id);
    const ended$ = since === undefined ? of({ orders: [], isWhole: true }) : reads.endedOrders({ market, from: since });
    return forkJoin({ open: reads.openOrders(market), ended: ended$ }).pipe(
      switchMap(({ open, ended }) => {
        const isOfNow = ({ order_id, mtime = beganAt }: LiveOrder) => mtime >= beganAt || states.has(order_id);
        const seen = [
          ...ended.orders.filter(isOfNow).map(seenEnd),
          ...open.orders.map((order): SeenOrder => ({ order })),
        ];
        const listed = new Set(seen.map(({ order }) => order.order_id));
        const missing = openBefore.filter((id) => !listed.has(id) && states.isOpen(id));
        return lookUp(reads, market, missing).pipe(
          map(({ ends, unknown }) => ({
            ...{ seen: [...ends, ...seen], unknown },
            ...{ isWhole: ended.isWhole && open.isWhole, isOpenWhole: open.isWhole },
          })),
        );
      }),
    );
  });
}

/** Absence from a list proves nothing: only the history says how an order has ended. */
function lookUp(reads: OrderReads, market: string, missing: readonly number[]) {
  return from(missing).pipe(
    mergeMap(
      (order_id) =>
        reads.endedOrder({ market, order_id }).pipe(
          map((order) => ({ order, order_id })),
          defaultIfEmpty({ order: undefined, order_id }),
        ),
      lookupsAtOnce,
    ),
    toArray(),
    map((results) => ({
      ends: results.flatMap(({ order }) => (order === undefined ? [] : [seenEnd(order)])),
      unknown: results.filter(({ order }) => order === undefined).map(({ order_id }) => order_id),
    })),
  );
}

function seenEnd(order: LiveOrder): SeenOrder {
  return { order, hasEnded: true };
}
