// Looks up an order, or an OCO order, in the lists that may show it, one after another. Absence leads to a retry, so only
// the exact responses that the exchange gives for an order that does not exist count as absence.
import { catchError, concat, concatMap, defer, EMPTY, map, of, take, throwError, type Observable } from 'rxjs';
import type { Endpoint, OcoLists, OrderKey, OrderLists, OrderLookup } from '../endpoint/index.js';
import { ApiError, LookupError, ResponseError } from '../errors/index.js';
import { ordersOf, type ConditionalOrder, type ConditionalOrderPage } from '../model/conditional-order.js';
import { legsOf, ocoOfLegs, ofItsLegs, type OcoOrder } from '../model/oco-order.js';
import { hasDeals, isOpen, placedAt, type Order } from '../model/order.js';
import { orderOfHistory } from '../model/order-of-history.js';
import { isNamedBy } from '../model/placed-as.js';
import { maxPageSize } from '../model/paging.js';
import { unreadableIn } from '../model/unreadable.js';

/**
 * An identifier may have been used before, because it must be unique among open orders only. An order that was placed
 * longer than this before the order in question is another order; a smaller difference may come from the clocks.
 */
const surelyEarlierMs = 60_000;
/** Maximum number of orders in a response: there may be more orders. */
const maxListed = 50;
/** By how much the times of the two orders of an OCO order may differ, milliseconds. */
const oneTimeMs = 1000;

export type Read = <Params extends object, Output>(
  list: Endpoint<Params, Output>,
  params: Params,
) => Observable<Output>;

export interface SearchedOrder extends Pick<OrderKey, 'market' | 'client_order_id' | 'side'> {
  /** Whether it may be among the conditional orders only. */
  readonly isConditional: boolean;
}

/** An order that a list shows, with the other orders of its identifier there. */
interface Listed {
  readonly order: Order;
  readonly others: readonly Order[];
  /** The OCO order that has it, where the list shows it as a whole. */
  readonly oco?: OcoOrder | undefined;
}

/** What a list shows; a text says why it does not prove that the order is absent. */
type Shown = Listed | string | undefined;

/** What the failure of a list means: it proves absence, or the lookup fails. By default, the others may show the order. */
type Meaning = 'absent' | 'failed' | undefined;

const mayBeIt = 'one of them may be the order';

/**
 * Looks up the order that was placed at or after `since`, Unix ms by the exchange's clock; 0 for an identifier that no
 * other order can have. Emits it, open or ended, and completes; completes without a value when there is none.
 */
export function lookUp<Output>(
  lookup: OrderLookup<Output>,
  read: Read,
  key: SearchedOrder,
  since: () => number,
): Observable<Output> {
  const output$ =
    lookup.finds === 'order'
      ? listed(lookup.lists, read, key, since).pipe(map(({ order }) => lookup.outputOf(order)))
      : listed(lookup.lists, read, { ...key, isConditional: true }, since, lookup.lists.oco).pipe(
          concatMap((found) => ocoOf(found, lookup.lists, read, key)),
          map((oco) => lookup.outputOf(oco)),
        );
  return output$.pipe(
    map((output) => {
      if (output !== undefined) return output;
      const message = 'the lookup found an order, but outputOf() of its endpoint returned undefined';
      throw new LookupError(message, { endpoint: lookup.lists.open.name, outcome: 'unknown' });
    }),
  );
}

/**
 * Reads the OCO orders, for one, and the conditional orders first, then the open orders, then the history: an order that
 * becomes active or ends in between is in the next list. What a list cannot prove fails last, because another list may
 * have the order.
 */
function listed(
  { conditional, open, history }: OrderLists,
  read: Read,
  { market, client_order_id, side, isConditional }: SearchedOrder,
  since: () => number,
  oco?: OcoLists['oco'],
): Observable<Listed> {
  const key = { market, client_order_id };
  const page = { market, limit: maxPageSize, offset: 0 };
  const isEarlier = (order: Order) => isNamedBy(key, order) && placedAt(order) < since() - surelyEarlierMs;
  // Among open orders the identifier is unique, so there an order without a time counts, too.
  const isIt = (order: Order) =>
    isNamedBy(key, order) &&
    (side === undefined || order.side === side) &&
    (since() <= 0 || order.timestamp === undefined || placedAt(order) >= since());
  const newest = (orders: readonly Order[]): Listed | undefined => {
    const sorted = orders.filter(isIt).sort((one, other) => (placedAt(other) || 0) - (placedAt(one) || 0));
    const [first] = sorted;
    if (first === undefined) return undefined;
    const legs = [first, ...sorted.filter((order) => isOtherLeg(first, order))];
    // Both orders of an OCO order have the identifier: a canceled, unfilled one does not show how the other ended.
    return { order: legs.find((order) => isOpen(order) || hasDeals(order)) ?? first, others: orders };
  };
  /** What a page of OCO or OTO orders shows: each has orders. */
  const shownIn = (
    page: object,
    groups: readonly (readonly [OcoOrder | undefined, readonly Order[]])[],
    { total = 0, limit = maxPageSize }: Pick<ConditionalOrderPage, 'total' | 'limit'> = {},
  ): Shown => {
    const ocoOfOrder = new Map(groups.flatMap(([oco, ofGroup]) => ofGroup.map((order) => [order, oco])));
    const orders = [...ocoOfOrder.keys()].filter((order) => order.market === market);
    const named = orders.filter((order) => isNamedBy(key, order));
    const found = newest(named);
    if (found !== undefined) return { ...found, oco: ocoOfOrder.get(found.order) };
    if (orders.some((order) => order.client_order_id === '')) return 'one of them has no client_order_id';
    const isPart = total > groups.length || groups.length >= Math.min(limit, maxPageSize);
    if (isPart || !isReadable(page)) return 'the list is incomplete';
    return named.length > 0 ? mayBeIt : undefined;
  };

  return defer(() => {
    let unproven: LookupError | undefined;
    const step = <Params extends object, Page>(
      list: Endpoint<Params, Page>,
      called: string,
      params: Params,
      shown: (page: Page) => Shown,
      meaningOf?: (error: unknown) => Meaning,
    ): Observable<Listed> => {
      const undecided = (why: string, cause?: unknown) => {
        const message = `the ${called} do not prove that the order is absent: ${why}`;
        unproven ??= new LookupError(message, { endpoint: list.name, outcome: 'unknown', cause });
        return EMPTY;
      };
      return defer(() => read(list, params)).pipe(
        concatMap((output) => {
          const found = shown(output) ?? EMPTY;
          if (typeof found === 'string') return undecided(found);
          return 'order' in found ? of(found) : found;
        }),
        catchError((error: unknown) => {
          const meaning = meaningOf?.(error);
          if (meaning === 'failed') return throwError(() => error);
          if (meaning === 'absent') return EMPTY;
          return undecided(error instanceof Error ? error.message : String(error), error);
        }),
      );
    };
    /**
     * Pages after the first one find the order, and prove nothing: an order moves up when another one ends. The list
     * refuses an offset that is too large.
     */
    const ocoFrom = (list: OcoLists['oco'], offset: number): Observable<Listed> => {
      let isLast = true;
      const fromPage = (orders: readonly OcoOrder[]) => {
        isLast = orders.length < maxPageSize;
        return shownIn(
          orders,
          orders.map((one) => [one, legsOf(one)]),
        );
      };
      return concat(
        step(list, 'OCO orders', { ...page, offset }, fromPage),
        defer(() => (isLast ? EMPTY : ocoFrom(list, offset + maxPageSize))),
      );
    };
    const oco$ = oco === undefined ? EMPTY : ocoFrom(oco, 0);
    const fromConditional = (all: ConditionalOrderPage) =>
      shownIn(
        all,
        all.records.map((one) => [ocoOfConditional(one), ordersOf(one)]),
        all,
      );
    const conditional$ = isConditional ? step(conditional, 'conditional orders', page, fromConditional) : EMPTY;
    const open$ = step(
      open,
      'open orders',
      key,
      // An open order with the identifier is either the order itself, with another time, or kept it from being placed.
      (orders) => newest(orders) ?? (orders.length === 0 && isReadable(orders) ? undefined : mayBeIt),
      // The order may be in the history even if no open order could be read.
      (error) => (error instanceof ResponseError ? undefined : 'failed'),
    );
    const ended$ = step(
      history,
      'orders of the history',
      key,
      (byMarket) => {
        const orders = Object.values(byMarket).flat().map(orderOfHistory);
        // Of several orders with the identifier, one without a time may be any of them.
        const found = newest(orders.length > 1 ? orders.filter(({ timestamp }) => timestamp !== undefined) : orders);
        const areOthers =
          orders.length > 0 && orders.length < maxListed && isReadable(byMarket) && orders.every(isEarlier);
        return found ?? (areOthers ? undefined : mayBeIt);
      },
      // Without any order of the identifier, the exchange responds with an error instead of an empty list.
      (error) => (isNotFound(error) ? 'absent' : 'failed'),
    );
    const unproven$ = defer(() => (unproven === undefined ? EMPTY : throwError(() => unproven)));
    return concat(oco$, conditional$, open$, ended$, unproven$).pipe(take(1));
  });
}

/**
 * The OCO order of one of its orders. The other one may have ended; without it, for example while no history could be
 * read, the OCO order has the one that was found.
 */
function ocoOf(
  { order, others, oco }: Listed,
  { history }: Pick<OcoLists, 'history'>,
  read: Read,
  { market, client_order_id }: SearchedOrder,
): Observable<OcoOrder> {
  if (oco !== undefined) return of(oco);
  const legsIn = (orders: readonly Order[]) => orders.filter((other) => isOtherLeg(order, other));
  const legs = legsIn(others);
  const ended$ = read(history, { market, client_order_id }).pipe(
    map((byMarket) => legsIn(Object.values(byMarket).flat().map(orderOfHistory))),
    catchError(() => of([])),
  );
  return (legs.length > 0 ? of(legs) : ended$).pipe(
    map((more) => {
      const found = ocoOfLegs([order, ...more]);
      if (found !== undefined) return found;
      const message = 'an order of the OCO order was found, which does not show whether it is the stop order';
      throw new LookupError(message, { endpoint: history.name, outcome: 'unknown' });
    }),
  );
}

/** `undefined` for an OTO order: its order is none of an OCO order. */
function ocoOfConditional(conditional: ConditionalOrder): OcoOrder | undefined {
  const { id, conditionalOrder, stopLoss: stop_loss, takeProfit: take_profit } = conditional;
  if (conditionalOrder !== undefined) return undefined;
  return ofItsLegs({
    ...(id === undefined ? {} : { id }),
    ...(stop_loss === undefined ? {} : { stop_loss }),
    ...(take_profit === undefined ? {} : { take_profit }),
  });
}

/** Whether an order is the other order of an OCO order: they are placed at one time. */
export function isOtherLeg(one: Order, other: Order): boolean {
  const isOfOneTime = Math.abs(placedAt(one) - placedAt(other)) <= oneTimeMs;
  return other.order_id !== one.order_id && other.side === one.side && isOfOneTime;
}

function isReadable(page: unknown): boolean {
  return unreadableIn(page) === undefined;
}

function isNotFound(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.reason !== 'order-not-found') return false;
  return error.status === 422 && Object.keys(error.errors).length === 1;
}
