// What became of an order: it is open, it has ended, or there is no trace of it. What the exchange answers otherwise
// than it does where there is none proves nothing: an order that is not found is sent again.
import { catchError, concat, defer, EMPTY, mergeMap, of, take, throwError, type Observable } from 'rxjs';
import type { Call, Endpoint, OrderKey, OrderLookup } from '../define-endpoint.js';
import { ApiError, ResponseError, TransportError } from '../../errors/index.js';
import { ordersOf } from '../../model/conditional-order.js';
import { isNamedBy, orderOfHistory, placedAt, type Order } from '../../model/order.js';
import { maxPageSize } from '../../model/paging.js';
import { unreadableIn } from '../../model/unreadable.js';
import { conditional, type ConditionalOrderPage } from './conditional.js';
import { open } from './open.js';
import { history } from './history.js';

/**
 * An identifier may have been used before: it need only be unique among open orders. An order that was placed this long
 * before the one that is looked for is another. One that was placed a little before may be it, by a clock of the
 * exchange's that is behind.
 */
const surelyEarlierMs = 60_000;
/** How many orders are answered at most: there may be more than that. */
const page = 50;

/**
 * Looks among the conditional orders first, where it may be, then among the open ones, then in the history: an order
 * that becomes active or ends meanwhile is in the next place then.
 */
function find(
  call: Call,
  { market, client_order_id, side, isConditional = true }: OrderKey,
  since: () => number,
): Observable<Order> {
  const key = { market, client_order_id };
  // An identifier that no other order can have is enough, whatever the time that the order says; and one that no other
  // open order has, if it says none.
  const isSince = (order: Order) => since() <= 0 || order.timestamp === undefined || placedAt(order) >= since();
  const isIt = (order: Order) => isNamedBy(key, order) && (side === undefined || order.side === side) && isSince(order);
  const isEarlier = (order: Order) => isNamedBy(key, order) && placedAt(order) < since() - surelyEarlierMs;
  const newest = (orders: readonly Order[]) =>
    orders.filter(isIt).sort((one, other) => (placedAt(other) || 0) - (placedAt(one) || 0))[0];
  /** Why a list proves nothing. It fails the lookup last: the order may be found elsewhere. */
  let unproven: TransportError | undefined;
  const undecided = ({ name }: Endpoint, list: string, why: string, cause?: unknown) => {
    unproven ??= new TransportError(`the ${list} do not prove that the order is absent: ${why}`, {
      endpoint: name,
      outcome: 'unknown',
      cause,
    });
    return EMPTY;
  };

  const conditional$ = defer(() => {
    unproven = undefined;
    if (!isConditional) return EMPTY;
    return call(conditional, { market, limit: maxPageSize, offset: 0 }).pipe(
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
  const open$ = defer(() => call(open, key)).pipe(
    mergeMap((orders) => {
      const found = newest(orders);
      if (found !== undefined) return of(found);
      // While another order has its identifier, it could not have been placed: or it is that one, by another clock.
      return orders.length === 0 && unreadableIn(orders) === undefined
        ? EMPTY
        : undecided(open, 'open orders', 'one of them may be the order');
    }),
    // Where no record can be read at all, the order may be in the history all the same.
    catchError((error: unknown) =>
      error instanceof ResponseError ? undecided(open, 'open orders', error.message, error) : throwError(() => error),
    ),
  );
  const ended$ = defer(() => call(history, key)).pipe(
    mergeMap((byMarket) => {
      const orders = Object.values(byMarket).flat().map(orderOfHistory);
      // Of several that had the identifier, one that does not say when it was placed may be any.
      const found = newest(orders.length > 1 ? orders.filter(({ timestamp }) => timestamp !== undefined) : orders);
      if (found !== undefined) return of(found);
      // Where there is none at all, the exchange refuses to answer.
      const areOthers =
        orders.length > 0 && orders.length < page && orders.every(isEarlier) && unreadableIn(byMarket) === undefined;
      return areOthers ? EMPTY : undecided(history, 'orders of the history', 'one of them may be the order');
    }),
    catchError((error: unknown) => (isNotFound(error) ? EMPTY : throwError(() => error))),
  );
  const unproven$ = defer(() => (unproven === undefined ? EMPTY : throwError(() => unproven)));
  return concat(conditional$, open$, ended$, unproven$).pipe(take(1));
}

/** Whether the response lacks conditional orders, or has some that could not be read. */
function isPart(listed: ConditionalOrderPage): boolean {
  const { records, total = 0, limit = maxPageSize } = listed;
  return unreadableIn(listed) !== undefined || total > records.length || records.length >= Math.min(limit, maxPageSize);
}

function isNotFound(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.reason !== 'order-not-found') return false;
  return error.status === 422 && Object.keys(error.errors).length === 1;
}

/** Where the orders of every order endpoint are found. */
export const orderLookup: OrderLookup<Order> = { name: 'orders.find', find };
