// Finds an order that has ended, such as one that a cancel ended although its response was lost.
import { catchError, concatMap, EMPTY, from, mergeMap, of, take, timer, type Observable } from 'rxjs';
import type { Call, WireFields } from '../define-endpoint.js';
import { orderOfHistory, type HistoricalOrder, type Order } from '../../model/order.js';
import { history } from './history.js';

/** The pauses before the lookups: the history may show an order late. */
const pausesMs = [0, 500, 1500, 2000];

/**
 * Emits the newest order of the history that a request names, by either identifier, and that `isIt`; completes without
 * a value when the history shows none in time.
 */
export function endedOrder(
  call: Call,
  { market, order_id, client_order_id }: WireFields,
  isIt: (order: HistoricalOrder) => boolean = () => true,
): Observable<Order> {
  if (typeof market !== 'string') return EMPTY;
  const key = {
    market,
    ...(typeof order_id === 'number' ? { order_id } : {}),
    ...(typeof client_order_id === 'string' ? { client_order_id } : {}),
  };
  return from(pausesMs).pipe(
    concatMap((pauseMs) => timer(pauseMs).pipe(concatMap(() => call(history, key).pipe(catchError(() => EMPTY))))),
    mergeMap((byMarket) => {
      const orders = (byMarket[market] ?? []).filter(isIt);
      const newest = orders.sort((one, other) => (other.timestamp ?? 0) - (one.timestamp ?? 0))[0];
      return newest === undefined ? EMPTY : of(orderOfHistory(newest));
    }),
    take(1),
  );
}
