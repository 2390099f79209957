// The account's orders: open ones, in doubt, and ended. The exchange pushes orders by market: those of a market are followed
// from the first order that was seen in it. While one of them is not true, requests list all open orders.
import {
  catchError,
  combineLatest,
  distinctUntilChanged,
  EMPTY,
  filter,
  map,
  merge,
  mergeMap,
  scan,
  share,
  startWith,
  throwError,
  toArray,
  type Observable,
} from 'rxjs';
import { isExchangeError } from '../../../errors/index.js';
import type { Exchange } from '../../../exchange.js';
import type { LiveOpenOrders, LiveOrder } from '../../../live/index.js';
import { hasDeals, isCanceled, isFilled, type HistoricalOrder, type Order } from '../../../model/order.js';
import type { UndecidedOrder } from '../../../orders/index.js';
import type { DoubtRow, OrderRow, OrdersPart } from '../messages.js';
import { pageAmount, pageName } from '../page-text.js';
import { percentAbove, readAmount, rounded, sideOf, timeOf, type Prices } from './figures.js';
import { liveOrRead, polled, shown, type Outage, type Reading, type Shown } from './freshness.js';
import type { RulesByName } from './market.js';
import type { Witness } from './witness.js';

const maxOpen = 200;
const maxDoubts = 50;
const maxEnded = 50;
/** Markets whose orders are followed; requests list those of the others. */
const maxMarkets = 100;
/** Orders in a market that is not followed yet appear within this time. */
const discoverEveryMs = 10_000;
const readEveryMs = 3000;
const endedEveryMs = 5000;

export interface OpenOrders {
  readonly orders: readonly LiveOrder[];
  readonly unknown: readonly number[];
}

/** @param market$ markets whose orders are followed in any case */
export function openOrders(
  exchange: Exchange,
  outage: Outage,
  market$: Observable<string>,
): Observable<Shown<OpenOrders>> {
  const { orders, live } = exchange;
  const list = () => orders.listAllOpen({}, { retry: false }).pipe(toArray());
  const listed$ = polled(outage, list, discoverEveryMs).pipe(share());
  const markets$ = merge(market$, listed$.pipe(mergeMap(({ value }) => value.map(({ market }) => market))));
  const followed$ = markets$.pipe(
    scan((seen, market) => (seen.has(market) || seen.size >= maxMarkets ? seen : new Set([...seen, market])), none),
    distinctUntilChanged(),
    map((seen) => [...seen].at(-1) ?? ''),
    filter((market) => market !== ''),
    mergeMap((market) =>
      live.my.openOrders({ markets: [market] }).pipe(
        map((update): readonly [string, LiveOpenOrders] => [market, update]),
        // A market that the exchange does not list has no orders.
        catchError((error: unknown) =>
          isExchangeError(error) && error.kind === 'live-refused' ? EMPTY : throwError(() => error),
        ),
      ),
    ),
    scan((byMarket, [market, update]) => new Map([...byMarket, [market, update]]), new Map<string, LiveOpenOrders>()),
  );
  // Live when requests list the open orders, and each is of a market whose orders are followed and true.
  const live$ = combineLatest([followed$, listed$]).pipe(
    map(([byMarket, listed]): Reading<OpenOrders> => {
      const updates = [...byMarket.values()];
      const isLive =
        listed.status === 'read' &&
        updates.every(({ status }) => status === 'live') &&
        listed.value.every(({ market }) => byMarket.has(market));
      return {
        value: {
          orders: updates.flatMap((update) => update.orders),
          unknown: updates.flatMap(({ unknown }) => unknown),
        },
        status: isLive ? 'live' : 'stale',
        at: Math.max(0, ...updates.map(({ receivedAt }) => receivedAt)),
      };
    }),
  );
  const read = () => list().pipe(map((open): OpenOrders => ({ orders: open, unknown: [] })));
  return liveOrRead(outage, live$, read, readEveryMs).pipe(shown(outage, null));
}

const none: ReadonlySet<string> = new Set();

export interface OrderFigures {
  readonly prices: Prices;
  readonly rules: RulesByName;
}

export function ordersPart(
  exchange: Exchange,
  outage: Outage,
  witness: Witness,
  open$: Observable<Shown<OpenOrders>>,
  figures$: Observable<OrderFigures>,
): Observable<OrdersPart> {
  const ended$ = polled(
    outage,
    () =>
      exchange.orders
        .history({ limit: maxEnded }, { retry: false })
        .pipe(map((byMarket) => Object.values(byMarket).flat())),
    endedEveryMs,
  ).pipe(shown(outage, endedEveryMs));
  return combineLatest([open$, ended$, doubts(exchange, witness), figures$]).pipe(
    map(([open, ended, inDoubt, figures]) => {
      const { orders = [], unknown = [] } = open.value ?? {};
      const newest = orders.toSorted(byAge);
      const endedOrders = (ended.value ?? []).toSorted(byAge).slice(0, maxEnded);
      return {
        state: open.state,
        inDoubt,
        open: newest.slice(0, maxOpen).map((order) => orderRow(order, figures, unknown.includes(order.order_id))),
        notShown: Math.max(0, orders.length - maxOpen),
        ended: endedOrders.map((order) => orderRow(order, figures)),
        endedState: ended.state,
      };
    }),
  );
}

type AnyOrder = Order | HistoricalOrder;

function byAge(one: AnyOrder, other: AnyOrder): number {
  return (other.timestamp ?? 0) - (one.timestamp ?? 0) || other.order_id - one.order_id;
}

function doubts({ undecided$ }: Exchange, witness: Witness): Observable<readonly DoubtRow[]> {
  return combineLatest([undecided$, witness.changed$.pipe(startWith(undefined))]).pipe(
    map(([undecided]) =>
      undecided
        .slice(0, maxDoubts)
        .map((order) => doubtRow(order, witness.isGivenUp(order.client_order_id) ? 'unknown' : 'looking-up')),
    ),
  );
}

function doubtRow(order: UndecidedOrder, phase: DoubtRow['phase']): DoubtRow {
  const { client_order_id, market, endpoint, side, amount = '', price = '', since } = order;
  return {
    ...{ clientOrderId: pageName(client_order_id), market: pageName(market), endpoint: pageName(endpoint) },
    ...{ side: sideOf(side), price: pageAmount(price), sentAt: since, phase },
    // The amount of a market order may be of the quote currency.
    amount: price === '' ? '' : pageAmount(amount),
  };
}

function orderRow(order: AnyOrder, { prices, rules }: OrderFigures, mayHaveEnded = false): OrderRow {
  const { market, price = '', activation_price = '', amount = '', deal_stock = '0', deal_money = '0' } = order;
  const [filled, total] = [readAmount(deal_stock), readAmount(deal_money)];
  const isAverage = filled !== undefined && total !== undefined && !filled.isZero();
  const { priceDecimals: places = 8 } = rules.get(market) ?? {};
  const limit = /[1-9]/.test(price) ? price : activation_price;
  return {
    orderId: order.order_id,
    clientOrderId: pageName(order.client_order_id),
    at: timeOf(order.timestamp),
    market: pageName(market),
    side: sideOf(order.side),
    ...wordsOf(order),
    price: /[1-9]/.test(price) ? pageAmount(price) : '',
    activationPrice: pageAmount(activation_price),
    amount: pageAmount(amount),
    filled: pageAmount(deal_stock),
    average: isAverage ? rounded(total.dividedBy(filled), places) : '',
    fromLast: percentAbove(limit, prices.get(market)),
    status: mayHaveEnded ? 'may have ended' : statusOf(order),
  };
}

export function wordsOf(order: AnyOrder): Pick<OrderRow, 'type' | 'flags'> {
  const { type = 'order', postOnly: post, reduceOnly: reduce, ioc } = order;
  const flags = Object.entries({ post, reduce, ioc }).flatMap(([flag, isSet]) => (isSet === true ? flag : []));
  return { type: pageName(type), flags };
}

function statusOf(order: AnyOrder): string {
  if (isFilled(order)) return 'filled';
  const isPart = hasDeals(order);
  if (isCanceled(order)) return isPart ? 'partly filled, canceled' : 'canceled';
  return isPart ? 'partly filled' : 'open';
}
