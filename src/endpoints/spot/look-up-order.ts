// What became of an order: it is open, it has ended, or there is no trace of it.
import { catchError, concat, EMPTY, mergeMap, of, take, throwError, type Observable } from 'rxjs';
import type { Call, Endpoint, OrderKey, OrderLookUp } from '../../endpoint.js';
import { ApiError, ResponseError } from '../../errors.js';
import { isOrderOf, orderOfHistory, type Order } from '../../model/order.js';
import { serverTime } from '../public/server-time.js';
import { openOrders } from './open-orders.js';
import { orderHistory } from './order-history.js';

/** Looks among the open orders first: an order that ends meanwhile is in the history then. */
function find(call: Call, { market, client_order_id }: OrderKey, since: () => number): Observable<Order> {
  const key = { market, client_order_id };
  /** An identifier may have been used before: it need only be unique among open orders. */
  const isIt = (order: Order) => isOrderOf(key, order) && order.client_order_id !== '' && order.timestamp * 1000 >= since();
  const among = (endpoint: Endpoint, orders: readonly Order[]): Observable<Order> => {
    const found = orders.find(isIt);
    if (found !== undefined) return of(found);
    // These are not what was asked for, so that it is not among them proves nothing.
    const isOther = orders.some((order) => order.client_order_id !== client_order_id || order.market !== market);
    return isOther ? throwError(() => new ResponseError('HTTP 200 with orders that were not asked for', 200, undefined, endpoint.name)) : EMPTY;
  };
  const open$ = call(openOrders, key).pipe(mergeMap((orders) => among(openOrders, orders)));
  const ended$ = call(orderHistory, key).pipe(
    mergeMap((history) => among(orderHistory, Object.values(history).flat().map(orderOfHistory))),
    catchError((error: unknown) => (isNotFound(error) ? EMPTY : throwError(() => error))),
  );
  return concat(open$, ended$).pipe(take(1));
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'order-not-found';
}

/** Where the orders of every order endpoint are found. */
export const orderLookUp: OrderLookUp<Order> = { find, readClock: (call) => call(serverTime, {}) };
