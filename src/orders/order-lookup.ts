// Looks up an order: open, ended, or absent. Absence leads to a retry, so only the exact responses that the exchange
// gives for an order that does not exist count as absence.
import { catchError, concat, defer, EMPTY, mergeMap, of, take, throwError, type Observable } from 'rxjs';
import type { Endpoint, OrderKey, OrderLists } from '../endpoint/index.js';
import { ApiError, ResponseError, LookupError } from '../errors/index.js';
import { ordersOf, type ConditionalOrderPage } from '../model/conditional-order.js';
import { hasDeals, isOpen, placedAt, type Order } from '../model/order.js';
import { orderOfHistory } from '../model/order-of-history.js';
import { isNamedBy } from '../model/placed-as.js';
import { maxPageSize } from '../model/paging.js';
import { unreadableIn } from '../model/unreadable.js';

/**
 * An identifier may have been used before, because it must be unique among open orders only. An order that was placed
 * longer than this before the order in question is another order; a smaller difference may come from the clocks.
 */
const surelyEarlierMs = 60_000;
/** Maximum number of orders in a response: there may be more orders. */
const page = 50;

/** Reads a list of the exchange. */
export type Read = <Params extends object, Output>(
  list: Endpoint<Params, Output>,
  params: Params,
) => Observable<Output>;

/** The order that a lookup is about. */
export interface SearchedOrder extends Pick<OrderKey, 'market' | 'client_order_id' | 'side'> {
  /** Whether it may be among the conditional orders only. */
  readonly isConditional: boolean;
}

/**
 * Looks up the order that was placed at or after `since`, Unix ms by the exchange's clock; 0 for an identifier that no
 * other order can have. Emits it, open or ended, and completes; completes without a value when there is none.
 *
 * Reads the conditional orders first, then the open orders, then the history: an order that becomes active or ends in
 * between is in the next list.
 */
export function lookUpOrder(
  { conditional, open, history }: OrderLists,
  read: Read,
  { market, client_order_id, side, isConditional }: SearchedOrder,
  since: () => number,
): Observable<Order> {
  const key = { market, client_order_id };
  const isIt = (order: Order) =>
    isOrderOf({ market, client_order_id, ...(side === undefined ? {} : { side }) }, order, since());
  const isEarlier = (order: Order) => isNamedBy(key, order) && placedAt(order) < since() - surelyEarlierMs;
  const newest = (orders: readonly Order[]) => {
    const sorted = orders.filter(isIt).sort((one, other) => (placedAt(other) || 0) - (placedAt(one) || 0));
    const [first] = sorted;
    // Both orders of an OCO order have the identifier: a canceled, unfilled one does not show how the other ended.
    return sorted.find((order) => isOfOneTime(order, first) && (isOpen(order) || hasDeals(order))) ?? first;
  };
  return firstOf((undecided) => {
    const conditional$ = defer(() => {
      if (!isConditional) return EMPTY;
      return read(conditional, { market, limit: maxPageSize, offset: 0 }).pipe(
        mergeMap((listed) => {
          const ofMarket = listed.records.flatMap(ordersOf).filter((order) => order.market === market);
          if (ofMarket.some((order) => order.client_order_id === ''))
            undecided(conditional, 'conditional orders', 'one of them has no client_order_id');
          const orders = ofMarket.filter((order) => isNamedBy(key, order));
          const found = newest(orders);
          if (found !== undefined) return of(found);
          if (isPart(listed)) return undecided(conditional, 'conditional orders', 'the list is incomplete');
          return orders.length === 0
            ? EMPTY
            : undecided(conditional, 'conditional orders', 'one of them may be the order');
        }),
        catchError((error: unknown) =>
          undecided(conditional, 'conditional orders', error instanceof Error ? error.message : String(error), error),
        ),
      );
    });
    const open$ = defer(() => read(open, key)).pipe(
      mergeMap((orders) => {
        const found = newest(orders);
        if (found !== undefined) return of(found);
        // An open order with the identifier is either the order itself, with another time, or kept it from being placed.
        return orders.length === 0 && unreadableIn(orders) === undefined
          ? EMPTY
          : undecided(open, 'open orders', 'one of them may be the order');
      }),
      // The order may be in the history even if no open order could be read.
      catchError((error: unknown) =>
        error instanceof ResponseError ? undecided(open, 'open orders', error.message, error) : throwError(() => error),
      ),
    );
    const ended$ = defer(() => read(history, key)).pipe(
      mergeMap((byMarket) => {
        const orders = Object.values(byMarket).flat().map(orderOfHistory);
        // Of several orders with the identifier, one without a time may be any of them.
        const found = newest(orders.length > 1 ? orders.filter(({ timestamp }) => timestamp !== undefined) : orders);
        if (found !== undefined) return of(found);
        // Without any order of the identifier, the exchange responds with an error instead of an empty list.
        const areOthers =
          orders.length > 0 && orders.length < page && orders.every(isEarlier) && unreadableIn(byMarket) === undefined;
        return areOthers ? EMPTY : undecided(history, 'orders of the history', 'one of them may be the order');
      }),
      catchError((error: unknown) => (isNotFound(error) ? EMPTY : throwError(() => error))),
    );
    return [conditional$, open$, ended$];
  });
}

/** Notes why a list cannot prove that the order is absent, and completes. */
type Undecided = (list: Endpoint, name: string, why: string, cause?: unknown) => Observable<never>;

/** Emits the first order that a list shows. What a list cannot prove fails last, because another may have the order. */
export function firstOf<Found>(lists: (undecided: Undecided) => readonly Observable<Found>[]): Observable<Found> {
  return defer(() => {
    let unproven: LookupError | undefined;
    const read = lists(({ name: endpoint }, name, why, cause) => {
      const message = `the ${name} do not prove that the order is absent: ${why}`;
      unproven ??= new LookupError(message, { endpoint, outcome: 'unknown', cause });
      return EMPTY;
    });
    const unproven$ = defer(() => (unproven === undefined ? EMPTY : throwError(() => unproven)));
    return concat(...read, unproven$).pipe(take(1));
  });
}

/**
 * Whether an order of a list can be the one with this key, placed at or after `since`, Unix ms. A unique identifier is
 * enough, whatever the time of the order. Among open orders the identifier is unique, so there an order without a time
 * counts, too.
 */
export function isOrderOf({ market, client_order_id, side }: OrderKey, order: Order, since: number): boolean {
  const isSince = since <= 0 || order.timestamp === undefined || placedAt(order) >= since;
  return isNamedBy({ market, client_order_id }, order) && (side === undefined || order.side === side) && isSince;
}

/** By how much the times of the two orders of an OCO order may differ, milliseconds. */
const oneTimeMs = 1000;

function isOfOneTime(one: Order, other: Order | undefined): boolean {
  return one === other || (other !== undefined && Math.abs(placedAt(one) - placedAt(other)) <= oneTimeMs);
}

/** Whether the page lacks conditional orders, or some could not be read. */
function isPart(listed: ConditionalOrderPage): boolean {
  const { records, total = 0, limit = maxPageSize } = listed;
  return unreadableIn(listed) !== undefined || total > records.length || records.length >= Math.min(limit, maxPageSize);
}

function isNotFound(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.reason !== 'order-not-found') return false;
  return error.status === 422 && Object.keys(error.errors).length === 1;
}
