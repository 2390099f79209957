// What an action of the page would do: exactly which orders and positions, read from the exchange for this plan.
import { randomBytes } from 'node:crypto';
import {
  catchError,
  concatMap,
  defer,
  forkJoin,
  map,
  of,
  shareReplay,
  take,
  timeout,
  toArray,
  type Observable,
} from 'rxjs';
import * as v from 'valibot';
import { listAllOpen } from '../../endpoints/orders/index.js';
import type { TradingFees } from '../../endpoints/spot/index.js';
import type { Exchange } from '../../exchange.js';
import { formatDecimal, type Decimal } from '../../model/decimal.js';
import { marketNamePattern } from '../../model/market.js';
import type { Order } from '../../model/order.js';
import type { Position } from '../../model/position.js';
import { unreadableIn } from '../../model/unreadable.js';
import { accountFees, feesIn, totalOf } from '../market/estimate.js';
import { sizeOf } from '../market/position.js';
import type { Action, MarketRules, Plan, PlannedCancel, PlannedClose } from './messages.js';
import { pageAmount, pageName, pageText } from './page-text.js';
import { quoteDecimals, rounded, rulesOf, sideOf, signed, sum } from './parts/figures.js';
import { reasonOf } from './parts/freshness.js';
import { wordsOf } from './parts/orders.js';
import { currencyOf, pnlOf } from './parts/positions.js';

const planValidMs = 30_000;
const maxCancels = 1000;
const maxCloses = 100;
/** A page waits for a plan: it is refused when the exchange cannot be read in this time. */
export const reading = { callTimeoutMs: 10_000 };
/** Prices and fees are read in half of the time of an estimate. */
const estimating = { callTimeoutMs: 5000 };
const estimateMs = 10_000;

const market = v.pipe(v.string(), v.maxLength(40), v.regex(marketNamePattern));
const id = v.pipe(v.number(), v.integer(), v.minValue(1));

export const actionSchema: v.GenericSchema<unknown, Action> = v.variant('kind', [
  v.strictObject({ kind: v.literal('cancel'), market, orderId: id }),
  v.strictObject({ kind: v.literal('cancel-all'), market: v.exactOptional(market) }),
  v.strictObject({ kind: v.literal('close'), market, positionId: id }),
  v.strictObject({ kind: v.literal('flatten') }),
]);

export interface Facts {
  readonly action: Action;
  readonly orders: readonly Order[];
  readonly positions: readonly Position[];
  readonly unread: string;
}

export interface Planned extends Facts {
  readonly plan: Plan;
}

/** Reads what an action acts on. Fails as the reads do; there may be nothing. */
export function readFacts(exchange: Exchange, action: Action): Observable<Facts> {
  return defer(() => {
    const unread = new Set<string>();
    const noted =
      (noun: string): Noted =>
      (page) => {
        if (unreadableIn(page) !== undefined) unread.add(noun);
        return page;
      };
    const orders = ordersOf(exchange, action, noted('orders'));
    const positions = positionsOf(exchange, action, noted('positions'));
    return forkJoin({ orders, positions }).pipe(
      map((facts) => {
        const words = unread.size === 0 ? '' : `Some ${[...unread].join(' and ')} could not be read.`;
        return { action, ...facts, unread: words };
      }),
    );
  });
}

type Noted = <Page extends object>(page: Page) => Page;

export function planOf(exchange: Exchange, facts: Facts): Observable<Planned> {
  const fees$ = accountFees(exchange, estimating).pipe(shareReplay(1));
  const closes = facts.positions.map((position) => plannedClose(exchange, position, fees$));
  const closes$ = closes.length === 0 ? of([]) : forkJoin(closes);
  return closes$.pipe(map((estimated) => ({ ...facts, plan: inWords(facts, estimated) })));
}

function ordersOf(exchange: Exchange, action: Action, noted: Noted): Observable<readonly Order[]> {
  if (action.kind === 'close') return of([]);
  if (action.kind === 'cancel')
    return exchange.orders.open({ market: action.market, order_id: action.orderId }, reading).pipe(map(noted));
  const { market: name } = { market: undefined, ...action };
  return exchange
    .listAll(
      { ...listAllOpen, itemsOf: (page: Order[]) => noted(page) },
      name === undefined ? {} : { market: name },
      reading,
    )
    .pipe(take(maxCancels), toArray());
}

function positionsOf({ collateral }: Exchange, action: Action, noted: Noted): Observable<readonly Position[]> {
  if (action.kind === 'cancel' || action.kind === 'cancel-all') return of([]);
  const isActedOn = ({ positionId }: Position) => action.kind === 'flatten' || positionId === action.positionId;
  return collateral
    .openPositions(action.kind === 'close' ? { market: action.market } : {}, reading)
    .pipe(map((open) => noted(open).filter(isActedOn).slice(0, maxCloses)));
}

interface EstimatedClose {
  readonly planned: PlannedClose;
  readonly currency: string;
  readonly places: number;
  readonly estimate?: { readonly pnl: Decimal; readonly fee: Decimal };
  readonly pricedAt: number;
  readonly problem?: string;
}

function plannedClose(
  exchange: Exchange,
  position: Position,
  fees$: Observable<TradingFees | undefined>,
): Observable<EstimatedClose> {
  const { market: name, positionId } = position;
  const { side, size } = sizeOf(position);
  const base = { positionId, market: pageName(name), side, amount: pageAmount(formatDecimal(size)) };
  const pricedAt = Date.now();
  const without = (problem: string, rules?: MarketRules): EstimatedClose => ({
    ...{ planned: { ...base, price: '', pnl: '' }, pricedAt, problem },
    ...{ currency: currencyOf(position, rules), places: quoteDecimals(rules) },
  });
  return exchange.market(name).pipe(
    concatMap(({ rules: market }) =>
      forkJoin({
        book: exchange.public.orderBook({ market: name }, estimating),
        fees: fees$.pipe(map((fees) => feesIn(fees, name, market))),
        rules: of(rulesOf(market)),
      }),
    ),
    map(({ book, fees: { taker }, rules }): EstimatedClose => {
      const total = totalOf(side === 'long' ? book.bids : book.asks, formatDecimal(size));
      if (total === undefined || size.isZero()) return without(`the order book of ${base.market} is too thin`, rules);
      const price = total.dividedBy(size);
      const pnl = pnlOf(position, formatDecimal(price));
      if (pnl === undefined || taker === undefined)
        return without(`${base.market} has no entry price or no fee`, rules);
      const fee = total.multipliedBy(taker).dividedBy(100);
      const places = quoteDecimals(rules);
      const figures = { price: rounded(price, rules.priceDecimals), pnl: signed(pnl, places) };
      return { planned: { ...base, ...figures }, currency: rules.quote, places, estimate: { pnl, fee }, pricedAt };
    }),
    // The position can be closed without an estimate.
    catchError((error: unknown) => of(without(reasonOf(error)))),
    timeout({ first: estimateMs, with: () => of(without(`${base.market} could not be read in time`)) }),
  );
}

function inWords({ action, orders, unread }: Facts, closes: readonly EstimatedClose[]): Plan {
  const now = Date.now();
  const currencies = [...new Set(closes.map(({ currency }) => currency))];
  const problems = closes.flatMap(({ problem }) => problem ?? []);
  const warning = [
    unread,
    problems.length === 0 ? '' : `Not all is estimated: ${problems.join('; ')}.`,
    orders.length < maxCancels ? '' : `Only ${maxCancels} orders: repeat it for the others.`,
    closes.length < maxCloses ? '' : `Only ${maxCloses} positions: repeat it for the others.`,
  ]
    .filter((words) => words !== '')
    .join(' ');
  return {
    id: randomBytes(16).toString('hex'),
    ...{ action, at: now, expiresAt: now + planValidMs },
    cancel: orders.map(plannedCancel),
    close: closes.map(({ planned }) => planned),
    totals: currencies.map((currency) => {
      const own = closes.filter((close) => close.currency === currency);
      const places = Math.max(...own.map((close) => close.places));
      const estimates = own.flatMap(({ estimate }) => estimate ?? []);
      // A sum of some would look like the sum of all.
      if (estimates.length < own.length) return { currency, pnl: '', fees: '' };
      return {
        currency,
        pnl: signed(sum(estimates.map(({ pnl }) => pnl)), places),
        fees: rounded(sum(estimates.map(({ fee }) => fee)), places),
      };
    }),
    pricesAt: closes.length === 0 ? null : Math.min(...closes.map(({ pricedAt }) => pricedAt)),
    ...(warning === '' ? {} : { warning: pageText(warning) }),
  };
}

function plannedCancel(order: Order): PlannedCancel {
  const { order_id, client_order_id, market: name, price = '', left = '' } = order;
  return {
    ...{ orderId: order_id, clientOrderId: pageName(client_order_id), market: pageName(name) },
    ...{ side: sideOf(order.side), ...wordsOf(order) },
    ...{ price: /[1-9]/.test(price) ? pageAmount(price) : '', left: pageAmount(left) },
  };
}

/**
 * Why the facts allow more than what was confirmed; `undefined` when the same would happen, or less.
 *
 * @param at when the confirmation arrived, Unix ms
 */
export function moreThan(confirmed: Planned, now: Facts, at: number): string | undefined {
  if (at > confirmed.plan.expiresAt) return 'The plan was too old.';
  const known = new Map(confirmed.orders.map((order) => [order.order_id, order]));
  if (now.orders.some(({ order_id }) => !known.has(order_id))) return 'Other orders are open now.';
  const positions = new Map(confirmed.positions.map((position) => [position.positionId, sizeOf(position)]));
  const isMore = now.positions.some((position) => {
    const { side, size } = sizeOf(position);
    const before = positions.get(position.positionId);
    return before?.side !== side || size.isGreaterThan(before.size);
  });
  return isMore ? 'Positions have changed.' : undefined;
}
