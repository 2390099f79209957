// Reads the end of one order, and the order that replaced it.
import {
  concatMap,
  filter,
  map,
  of,
  retry,
  take,
  throwError,
  throwIfEmpty,
  timer,
  toArray,
  type Observable,
} from 'rxjs';
import type { LiveOrder } from '../../model/live-order.js';
import { isLasting } from '../connection/index.js';
import type { OrderChange } from './order-change.js';
import type { OrderReads } from './order-check.js';
import type { SeenOrder } from './order-states.js';
import { compareAge, knownOrder, mayBeReplaced, mayReplace } from './order-version.js';

/** The orders that may have replaced an order that has ended, by its identifier. */
export function replacementsOf(reads: OrderReads, ended: LiveOrder): Observable<SeenOrder> {
  const { market, client_order_id } = ended;
  const known = knownOrder(ended, true);
  // An identifier may be used again: the history has the orders that had it before.
  return reads
    .ordersOf({ market, client_order_id })
    .pipe(filter(({ order }) => mayReplace(knownOrder(order, false), known)));
}

/**
 * The end of an order, or its modification. Read until the history has it.
 *
 * @param retryMs milliseconds to wait after so many failures
 */
export function endOrModification(
  reads: OrderReads,
  market: string,
  order_id: number,
  retryMs: (failures: number) => number,
): Observable<OrderChange> {
  const untilRead = <Value>(read$: Observable<Value>) =>
    read$.pipe(
      retry({
        delay: (error: unknown, failures) => (isLasting(error) ? throwError(() => error) : timer(retryMs(failures))),
      }),
    );
  const afterEnd = (ended: LiveOrder): Observable<OrderChange> => {
    const known = knownOrder(ended, true);
    const end: OrderChange = { kind: 'ended', market, order: known.order, via: 'request' };
    if (!mayBeReplaced(known)) return of(end);
    return untilRead(replacementsOf(reads, ended).pipe(toArray())).pipe(
      map((later): OrderChange => {
        const [next] = later.toSorted((one, other) => compareAge(one.order, other.order));
        if (next === undefined) return end;
        return { kind: 'modified', market, order: next.order, via: 'request', replaces: order_id, before: known.order };
      }),
    );
  };
  return untilRead(reads.endedOrder({ market, order_id }).pipe(throwIfEmpty(), take(1))).pipe(concatMap(afterEnd));
}
