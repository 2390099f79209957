// What became of an order whose answer was lost: it is open, it has ended, or there is no trace of it.
import { catchError, concat, defaultIfEmpty, map, mergeMap, of, take, throwError, type Observable } from 'rxjs';
import { ApiError } from '../../errors.js';
import type { Exchange } from '../../exchange.js';
import type { HistoricalOrder } from '../../model/order.js';

/** Looks among the open orders, then in the history; `undefined` when it is in neither. */
export function findOrder({ spot }: Pick<Exchange, 'spot'>, market: string, client_order_id: string): Observable<HistoricalOrder | undefined> {
  const open$ = spot.openOrders({ market, client_order_id });
  const ended$ = spot.orderHistory({ market, client_order_id }).pipe(
    map((history) => history[market] ?? []),
    catchError((error: unknown) => (isNotFound(error) ? of([]) : throwError(() => error))),
  );
  return concat(open$, ended$).pipe(
    mergeMap((orders: readonly HistoricalOrder[]) => orders),
    take(1),
    defaultIfEmpty(undefined),
  );
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'order-not-found';
}
