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
} from 'rxjs';
import type { Observable } from 'rxjs';
import { isOtherLeg, type Read } from './order-lookup.js';
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
  const { market, order_id, client_order_id } = fields;
  const hasEnded = ({ ftime = Number.NaN }: HistoricalOrder) => ftime * 1000 >= since();
  if (lookup.finds === 'nothing') return EMPTY;
  if (lookup.finds === 'closed position')
    // It was closed by a request of seconds ago: it is among the newest.
    return firstShown(
      () => read(lookup.closedPositions, { limit: maxPageSize }),
      (closed) => closed.find(({ positionId }) => positionId === fields['positionId']),
    ).pipe(map((position) => foundAs(lookup.outputOf(position))));
  if (typeof market !== 'string') return EMPTY;
  const byNumber = typeof order_id === 'number' ? { order_id } : {};
  const byIdentifier = typeof client_order_id === 'string' ? { client_order_id } : {};
  const key = { market, ...byNumber, ...byIdentifier };
  switch (lookup.finds) {
    case 'ended order':
      return firstShown(
        () => endedOrders(lookup, read, key),
        // The identifier of the caller may be that of an order which ended long ago.
        (orders) => orders.find((order) => order_id !== undefined || hasEnded(order)),
      ).pipe(map((order) => foundAs(lookup.outputOf(orderOfHistory(order)))));
    case 'ended OCO order':
      // No list shows the number of an OCO order that has ended.
      if (client_order_id === undefined) return EMPTY;
      return firstShown(
        () => endedOrders(lookup, read, { market, ...byIdentifier }),
        (orders) => ocoOf(orders.filter(hasEnded).map(orderOfHistory)),
      ).pipe(map((oco) => foundAs(lookup.outputOf(oco))));
    case 'modified order':
      return modifiedOrder(lookup, read, { ...fields, ...key }, since).pipe(
        map((order) => (order === 'not modified' ? { is: 'absent' } : foundAs(lookup.outputOf(order)))),
      );
  }
}

function foundAs<Output>(output: Output): Answer<Output> {
  return { is: 'found', output };
}

const pausesMs = [0, 500, 1500, 2000];

/** The first result of all lookups. A lookup that fails shows nothing. */
function firstShown<Page, Found>(
  lookUp: () => Observable<Page>,
  find: (page: Page) => Found | undefined,
): Observable<Found> {
  return from(pausesMs).pipe(
    concatMap((pauseMs) => timer(pauseMs).pipe(concatMap(() => lookUp().pipe(catchError(() => EMPTY))))),
    map(find),
    filter((found) => found !== undefined),
    take(1),
  );
}

interface NamedOrder {
  readonly market: string;
  readonly order_id?: number;
  readonly client_order_id?: string;
}

/** The orders of the history that a request names, the newest first. */
function endedOrders(
  { history }: Pick<OrderLists, 'history'>,
  read: Read,
  key: NamedOrder,
): Observable<readonly HistoricalOrder[]> {
  return read(history, key).pipe(
    map((byMarket) =>
      (byMarket[key.market] ?? []).toSorted((one, other) => (other.timestamp ?? 0) - (one.timestamp ?? 0)),
    ),
  );
}

/** The OCO order whose orders both ended: one that was activated may still have an open order. */
function ocoOf(orders: readonly Order[]): OcoOrder | undefined {
  const [legs] = orders.flatMap((one) => orders.filter((other) => isOtherLeg(one, other)).map((other) => [one, other]));
  return legs === undefined ? undefined : ocoOfLegs(legs);
}

/**
 * The order as it was modified: an order of the same `client_order_id` and side, with the requested values, that was
 * placed since the request. An old order that was filled was not modified. Without the identifier, it is read from the
 * history of the old order.
 */
function modifiedOrder(
  lists: Pick<OrderLists, 'open' | 'history'>,
  read: Read,
  fields: WireFields & NamedOrder,
  since: () => number,
): Observable<Order | 'not modified'> {
  const { market, order_id } = fields;
  if (order_id === undefined) return EMPTY;
  const ended = (key: NamedOrder) => endedOrders(lists, read, key).pipe(map((orders) => orders.map(orderOfHistory)));
  return firstShown(
    () => ended({ market, order_id }),
    ([old]) => old,
  ).pipe(
    defaultIfEmpty(undefined),
    mergeMap((old) => {
      if (old !== undefined && isFilled(old)) return of('not modified' as const);
      const { client_order_id = old?.client_order_id ?? '' } = fields;
      if (client_order_id === '') return EMPTY;
      const key = { market, client_order_id };
      const isModified = (order: Order) =>
        order.order_id > order_id &&
        (old === undefined || order.side === old.side) &&
        placedAt(order) >= since() &&
        hasValuesOf(fields, order);
      return firstShown(
        // Each lookup reads both lists: the order may move from one to the other, and each may be late or fail.
        () => concat(read(lists.open, key).pipe(catchError(() => EMPTY)), ended(key)),
        (orders) => orders.find(isModified),
      );
    }),
  );
}
