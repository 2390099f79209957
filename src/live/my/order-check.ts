// Compares the known orders of a market with those of REST: what pushes have missed.
import {
  defaultIfEmpty,
  defer,
  delay,
  forkJoin,
  from,
  map,
  mergeMap,
  of,
  switchMap,
  toArray,
  type Observable,
} from 'rxjs';
import type { LiveOrder } from '../../model/live-order.js';
import type { SeenOrder } from '../channels/account.js';
import type { OrderReads } from './account.js';
import type { OrderStates } from './order-states.js';
import { compareAge } from './order-version.js';

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

const lookupsAtOnce = 4;

/** An order that opens while the lists are read is missing from none of them: only those that were open before count. */
export function checkOrders(states: OrderStates, reads: OrderReads, check: OrderCheck): Observable<CheckedOrders> {
  const { market, from: since, beganAt, graceMs } = check;
  return defer(() => {
    const openBefore = states.open.map(({ order_id }) => order_id);
    const ended$ = since === undefined ? of({ orders: [], isWhole: true }) : reads.endedOrders({ market, from: since });
    return forkJoin({ open: reads.openOrders(market), ended: ended$ }).pipe(
      map(({ open, ended }) => {
        const isOfNow = ({ order_id, mtime = beganAt }: LiveOrder) => mtime >= beganAt || states.has(order_id);
        const seen = [
          ...ended.orders.filter(isOfNow).map(seenEnd),
          ...open.orders.map((order): SeenOrder => ({ order })),
        ];
        const listed = new Set(seen.map(({ order }) => order.order_id));
        return {
          news: () => seen.filter((one) => states.isNews(one)),
          missing: () => openBefore.filter((id) => !listed.has(id) && states.isOpen(id)),
          ...{ isWhole: ended.isWhole && open.isWhole, isOpenWhole: open.isWhole },
        };
      }),
      // Without a difference there is nothing to wait for.
      switchMap((found) =>
        graceMs === 0 || (found.news().length === 0 && found.missing().length === 0)
          ? of(found)
          : of(found).pipe(delay(graceMs)),
      ),
      switchMap(({ news, missing, ...whole }) =>
        lookUp(reads, market, missing()).pipe(
          map(({ orders, unknown }) => ({
            // In the order in which they were placed: each modification is known before the next one.
            missed: [...orders.filter((one) => states.isNews(one)), ...news()].toSorted((one, other) =>
              compareAge(one.order, other.order),
            ),
            ...{ unknown, ...whole },
          })),
        ),
      ),
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
      orders: results.flatMap(({ order }) => (order === undefined ? [] : [seenEnd(order)])),
      unknown: results.filter(({ order }) => order === undefined).map(({ order_id }) => order_id),
    })),
  );
}

function seenEnd(order: LiveOrder): SeenOrder {
  return { order, hasEnded: true };
}
