// Finds an order that has ended, such as one that a cancel ended although its response was lost.
import { EMPTY, mergeMap, of, take, type Observable } from 'rxjs';
import type { Call, ResultLookup, WireFields } from '../../endpoint/index.js';
import { orderOfHistory, type HistoricalOrder, type Order } from '../../model/order.js';
import { untilShown } from '../until-shown.js';
import { history } from './history.js';

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
  return untilShown(() => call(history, key)).pipe(
    mergeMap((byMarket) => {
      const orders = (byMarket[market] ?? []).filter(isIt);
      const newest = orders.sort((one, other) => (other.timestamp ?? 0) - (one.timestamp ?? 0))[0];
      return newest === undefined ? EMPTY : of(orderOfHistory(newest));
    }),
    take(1),
  );
}

/** For cancels by the number of a conditional order: no list has that number once the order has ended. */
export const noHistory: ResultLookup<never> = { after: ['order-not-found'], find: () => EMPTY };

/**
 * Whether an order ended at or after a time, Unix ms. The identifier of the caller may be that of an order which ended
 * long ago, so an order without a time does not count.
 */
export function endedSince({ ftime }: HistoricalOrder, since: number): boolean {
  return ftime !== undefined && ftime * 1000 >= since;
}
