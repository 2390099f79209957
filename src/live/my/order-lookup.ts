// Reads the end of one order, and the order that replaced it.
import {
  concatMap,
  map,
  of,
  retry,
  take,
  throwError,
  throwIfEmpty,
  timeout,
  timer,
  toArray,
  type Observable,
} from 'rxjs';
import { backoff } from '../../call/index.js';
import type { LiveOrder } from '../../model/live-order.js';
import { isLasting } from '../connection/index.js';
import type { Account } from './account.js';
import type { OrderChange } from './order-states.js';
import { compareAge, isReplacedBy, knownOrder, mayBeReplaced } from './order-version.js';

const minRetryMs = 1000;
const maxRetryMs = 60_000;
/** The bound on the lookup of the order that may have replaced a canceled one. */
const maxReplacementMs = 20_000;

/** The end of an order, or its modification. Read until the history has it. */
export function endOf(account: Account, market: string, order_id: number): Observable<OrderChange> {
  const ended$ = account.orderReads.endedOrder({ market, order_id }).pipe(throwIfEmpty(), take(1));
  return untilRead(account, ended$).pipe(concatMap((ended) => endOrModification(account, ended)));
}

/** The end of an order that has ended; or its modification, where the exchange has the order that replaced it. */
export function endOrModification(account: Account, ended: LiveOrder): Observable<OrderChange> {
  const known = knownOrder(ended, true);
  const { market, client_order_id } = ended;
  const end: OrderChange = { kind: 'ended', order: known.order };
  if (!mayBeReplaced(known)) return of(end);
  const sameIdentifier$ = account.orderReads.ordersOf({ market, client_order_id }).pipe(toArray());
  return untilRead(account, sameIdentifier$).pipe(
    map((all): OrderChange => {
      const orders = all.map(({ order }) => order).toSorted(compareAge);
      // An identifier may be used again: the history has the orders that had it before.
      const order = orders.find((one) => isReplacedBy(known, knownOrder(one, false)));
      return order === undefined ? end : { kind: 'modified', order, before: known.order };
    }),
    // A program that waits for the end of its order, to stop, must not wait for an outage to end.
    timeout({ first: maxReplacementMs, with: () => of(end) }),
  );
}

function untilRead<Value>({ random }: Account, read$: Observable<Value>): Observable<Value> {
  const pauseMs = (failures: number) =>
    minRetryMs + random() * (backoff(failures + 1, minRetryMs, maxRetryMs) - minRetryMs);
  return read$.pipe(
    retry({
      delay: (error: unknown, failures) => (isLasting(error) ? throwError(() => error) : timer(pauseMs(failures))),
    }),
  );
}
