// Looks up the result of a request that was executed although its response was lost: in lists, which may show it late.
import {
  catchError,
  concat,
  concatMap,
  defaultIfEmpty,
  EMPTY,
  filter,
  from,
  map,
  mergeMap,
  of,
  take,
  timer,
  type Observable,
} from 'rxjs';
import { isOtherLeg } from './oco-lookup.js';
import type { Read } from './order-lookup.js';
import type { Answer } from '../call/index.js';
import type { OrderLists, ResultLookup, WireFields } from '../endpoint/index.js';
import { ocoOfLegs, type OcoOrder } from '../model/oco-order.js';
import { isFilled, placedAt, type HistoricalOrder, type Order } from '../model/order.js';
import { orderOfHistory } from '../model/order-of-history.js';
import { maxPageSize } from '../model/paging.js';
import { hasValuesOf } from '../model/placed-as.js';

/**
 * Whether the request with these fields was executed; completes without a value when no list shows it in time.
 *
 * @param since when the first request was sent at the earliest, Unix ms by the exchange's clock
 */
export function lookUpResult<Output>(
  lookup: ResultLookup<Output>,
  read: Read,
  fields: WireFields,
  since: () => number,
): Observable<Answer<Output>> {
  switch (lookup.finds) {
    case 'ended order': {
      // The identifier of the caller may be that of an order which ended long ago.
      const isIt = (order: HistoricalOrder) => fields['order_id'] !== undefined || hasEndedSince(order, since());
      return untilShown(() => endedOrder(lookup, read, fields, isIt)).pipe(
        take(1),
        map((order) => foundAs(lookup.outputOf(order))),
      );
    }
    case 'ended OCO order':
      return endedOco(lookup, read, fields, since).pipe(map((oco) => foundAs(lookup.outputOf(oco))));
    case 'modified order':
      return modifiedOrder(lookup, read, fields, since).pipe(
        map((order) => (order === 'not modified' ? { is: 'absent' } : foundAs(lookup.outputOf(order)))),
      );
    case 'closed position':
      // It was closed by a request of seconds ago: it is among the newest.
      return untilShown(() => read(lookup.closedPositions, { limit: maxPageSize })).pipe(
        mergeMap((closed) => closed.filter(({ positionId }) => positionId === fields['positionId'])),
        take(1),
        map((position) => foundAs(lookup.outputOf(position))),
      );
    case 'nothing':
      return EMPTY;
  }
}

function foundAs<Output>(output: Output): Answer<Output> {
  return { is: 'found', output };
}

/** The pauses before the lookups, milliseconds. */
const pausesMs = [0, 500, 1500, 2000];

/** The values of all lookups. A lookup that fails shows nothing: take the first value that counts. */
function untilShown<Shown>(lookUp: () => Observable<Shown>): Observable<Shown> {
  return from(pausesMs).pipe(
    concatMap((pauseMs) => timer(pauseMs).pipe(concatMap(() => lookUp().pipe(catchError(() => EMPTY))))),
  );
}

/** The newest order of the history that a request names, by either identifier, and that `isIt`. */
function endedOrder(
  { history }: Pick<OrderLists, 'history'>,
  read: Read,
  { market, order_id, client_order_id }: WireFields,
  isIt: (order: HistoricalOrder) => boolean,
): Observable<Order> {
  if (typeof market !== 'string') return EMPTY;
  const key = {
    market,
    ...(typeof order_id === 'number' ? { order_id } : {}),
    ...(typeof client_order_id === 'string' ? { client_order_id } : {}),
  };
  return read(history, key).pipe(
    map((byMarket) => newestFirst((byMarket[market] ?? []).filter(isIt))[0]),
    filter((newest) => newest !== undefined),
    map(orderOfHistory),
  );
}

/** Both orders of the OCO order ended since: one that was activated may still have an open order. */
function endedOco(
  { history }: Pick<OrderLists, 'history'>,
  read: Read,
  { market, client_order_id }: WireFields,
  since: () => number,
): Observable<OcoOrder> {
  // No list shows the number of an OCO order that has ended.
  if (typeof market !== 'string' || typeof client_order_id !== 'string') return EMPTY;
  return untilShown(() => read(history, { market, client_order_id })).pipe(
    map((byMarket) => {
      const ended = (byMarket[market] ?? []).filter((order) => hasEndedSince(order, since()));
      const orders = newestFirst(ended).map(orderOfHistory);
      const [legs] = orders.flatMap((one) =>
        orders.filter((other) => isOtherLeg(one, other)).map((other) => [one, other]),
      );
      return legs === undefined ? undefined : ocoOfLegs(legs);
    }),
    filter((found) => found !== undefined),
    take(1),
  );
}

/**
 * The order as it was modified: an order of the same `client_order_id` and side, with the requested values, that was
 * placed since the request. An old order that was filled was not modified. Without the identifier, it is read from the
 * history of the old order.
 */
function modifiedOrder(
  lists: Pick<OrderLists, 'open' | 'history'>,
  read: Read,
  fields: WireFields,
  since: () => number,
): Observable<Order | 'not modified'> {
  const { market, order_id, client_order_id } = fields;
  if (typeof market !== 'string' || typeof order_id !== 'number') return EMPTY;
  const named = (identifier: string, side: string | undefined) => {
    const key = { market, client_order_id: identifier };
    const isModified = (order: HistoricalOrder) =>
      order.order_id > order_id &&
      (side === undefined || order.side === side) &&
      placedAt(order) >= since() &&
      hasValuesOf(fields, order);
    const open$ = read(lists.open, key).pipe(
      catchError(() => EMPTY),
      mergeMap((orders) => orders.filter(isModified)),
    );
    // Each lookup reads both lists: the order may move from one to the other, and each may be late or fail.
    return untilShown(() => concat(open$, endedOrder(lists, read, key, isModified))).pipe(take(1));
  };
  return untilShown(() => endedOrder(lists, read, { market, order_id }, () => true)).pipe(
    take(1),
    defaultIfEmpty(undefined),
    mergeMap((old) => {
      if (old !== undefined && isFilled(old)) return of('not modified' as const);
      const identifier = client_order_id ?? old?.client_order_id;
      return typeof identifier === 'string' && identifier !== '' ? named(identifier, old?.side) : EMPTY;
    }),
  );
}

function newestFirst(orders: readonly HistoricalOrder[]): HistoricalOrder[] {
  return orders.toSorted((one, other) => (other.timestamp ?? 0) - (one.timestamp ?? 0));
}

/** Whether an order ended at or after a time, Unix ms. An order without a time does not count. */
function hasEndedSince({ ftime }: HistoricalOrder, since: number): boolean {
  return ftime !== undefined && ftime * 1000 >= since;
}
