// What became of an order: it is open, it has ended, or there is no trace of it.
import { catchError, concat, EMPTY, filter, mergeMap, take, throwError, type Observable } from 'rxjs';
import type { Call, OrderKey, OrderLookUp } from '../../endpoint.js';
import { ApiError } from '../../errors.js';
import { orderOfHistory, type Order } from '../../model/order.js';
import { serverTime } from '../public/server-time.js';
import { openOrders } from './open-orders.js';
import { orderHistory } from './order-history.js';

/** Looks among the open orders first: an order that ends meanwhile is in the history then. */
function find(call: Call, { market, client_order_id }: OrderKey, since: () => number): Observable<Order> {
  const key = { market, client_order_id };
  const open$ = call(openOrders, key).pipe(mergeMap((orders) => orders));
  const ended$ = call(orderHistory, key).pipe(
    mergeMap((history) => (history[market] ?? []).map(orderOfHistory)),
    catchError((error: unknown) => (isNotFound(error) ? EMPTY : throwError(() => error))),
  );
  return concat(open$, ended$).pipe(
    // An identifier may have been used before: it need only be unique among open orders.
    filter(({ timestamp }) => timestamp * 1000 >= since()),
    take(1),
  );
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'order-not-found';
}

/** Where the orders of every order endpoint are found. */
export const orderLookUp: OrderLookUp<Order> = { find, readClock: (call) => call(serverTime, {}) };
