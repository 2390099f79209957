// Looks up an OCO order. While it is open, the OCO orders list it, and the conditional orders do. When one of its orders
// was activated or filled, it has ended: its orders are among the open orders and in the history, one by one.
import { catchError, concat, concatMap, defer, EMPTY, forkJoin, from, map, of, take, type Observable } from 'rxjs';
import type { OcoLists } from '../endpoint/index.js';
import { LookupError } from '../errors/index.js';
import { ordersOf } from '../model/conditional-order.js';
import { legsOf, ocoOfLegs, ofItsLegs, type OcoOrder } from '../model/oco-order.js';
import type { Order } from '../model/order.js';
import { orderOfHistory } from '../model/order-of-history.js';
import { maxOffset, maxPageSize } from '../model/paging.js';
import { unreadableIn } from '../model/unreadable.js';
import { firstOf, isOrderOf, lookUpOrder, type Read, type SearchedOrder } from './order-lookup.js';

/**
 * Reads the OCO orders first, then what {@link lookUpOrder} reads: the conditional orders, the open orders, and the
 * history. Absence is proven only where the OCO orders prove it, on one complete page, and the other lists do.
 */
export function lookUpOco(lists: OcoLists, read: Read, key: SearchedOrder, since: () => number): Observable<OcoOrder> {
  const { oco } = lists;
  return firstOf((undecidedOf) => {
    const undecided = (why: string, cause?: unknown) => undecidedOf(oco, 'OCO orders', why, cause);
    const pagesFrom = (offset: number): Observable<OcoOrder> =>
      read(oco, { market: key.market, limit: maxPageSize, offset }).pipe(
        concatMap((page) => {
          const found = page.find((one) => legsOf(one).some((order) => isOrderOf(key, order, since())));
          if (found !== undefined) return of(found);
          if (page.some((one) => mayBe(key, one))) undecided('one of them may be the order');
          if (unreadableIn(page) !== undefined) undecided('one of them cannot be read');
          const count = page.length + (unreadableIn(page)?.count ?? 0);
          if (count < maxPageSize) return EMPTY;
          // An order moves from the next page to the last when another ends between the requests.
          undecided('the list has more than one page');
          return offset + count > maxOffset ? EMPTY : defer(() => pagesFrom(offset + count));
        }),
      );
    const listed$ = defer(() => pagesFrom(0)).pipe(
      catchError((error: unknown) => undecided(error instanceof Error ? error.message : String(error), error)),
    );
    const byLegs$ = defer(() => lookUpOrder(lists, read, { ...key, isConditional: true }, since)).pipe(
      concatMap((order) => ocoOf(lists, read, key, order)),
    );
    return [listed$, byLegs$];
  });
}

/** Whether a listed OCO order has no identifier, or the right one with another time or side. */
function mayBe({ market, client_order_id }: SearchedOrder, one: OcoOrder): boolean {
  return legsOf(one).some((order) => order.market === market && ['', client_order_id].includes(order.client_order_id));
}

/**
 * The OCO order of one of its orders. Its other order is read, too; without it, for example while no list could be
 * read, the OCO order has the one that was found.
 */
function ocoOf(
  { oco, conditional, open, history }: OcoLists,
  read: Read,
  { market, client_order_id }: SearchedOrder,
  order: Order,
): Observable<OcoOrder> {
  const key = { market, client_order_id };
  const listed$ = read(conditional, { market, limit: maxPageSize, offset: 0 }).pipe(
    concatMap(({ records }) => from(records)),
    concatMap((record) => (ordersOf(record).some(({ order_id }) => order_id === order.order_id) ? of(record) : EMPTY)),
    map(({ id, stopLoss: stop_loss, takeProfit: take_profit }) =>
      ofItsLegs({
        ...(id === undefined ? {} : { id }),
        ...(stop_loss === undefined ? {} : { stop_loss }),
        ...(take_profit === undefined ? {} : { take_profit }),
      }),
    ),
    catchError(() => EMPTY),
  );
  const open$ = read(open, key).pipe(catchError(() => of([])));
  const ended$ = read(history, key).pipe(
    map((byMarket) => Object.values(byMarket).flat().map(orderOfHistory)),
    catchError(() => of([])),
  );
  const single$ = defer(() => forkJoin([open$, ended$])).pipe(
    map(([active, ended]) => {
      const found = ocoOfLegs([order, ...[...active, ...ended].filter((other) => isOtherLeg(order, other))]);
      if (found !== undefined) return found;
      const message = 'an order of the OCO order was found, which does not show whether it is the stop order';
      throw new LookupError(message, { endpoint: oco.name, outcome: 'unknown' });
    }),
  );
  return concat(listed$, single$).pipe(take(1));
}

/** By how much the times of the two orders of an OCO order may differ, milliseconds. */
const sameOcoMs = 1000;

/** Whether an order of the same identifier is the other order of an OCO order: they are placed at one time. */
export function isOtherLeg(one: Order, other: Order): boolean {
  const { timestamp = Number.NaN } = one;
  const apartMs = Math.abs(timestamp - (other.timestamp ?? Number.NaN)) * 1000;
  return other.order_id !== one.order_id && other.side === one.side && apartMs <= sameOcoMs;
}
