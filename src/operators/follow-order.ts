// followOrder() and filled(): a placed order to its end, by the live connection of the account.
import { concat, EMPTY, map, mergeMap, of, reduce, type Observable, type OperatorFunction } from 'rxjs';
import type { My, OrderChange } from '../live/index.js';
import { decimal, formatDecimal, type Decimal } from '../model/decimal.js';
import type { LiveOrder } from '../model/live-order.js';
import { hasDeals, isFilled, isNothing, isOpen, type Order } from '../model/order.js';

/** What follows orders: an exchange of `createExchange`, with credentials. */
export interface OrderFollower {
  readonly live: { readonly my: Pick<My, 'follow'> };
}

/**
 * Follows each placed order: emits it, then each later state of it, and ends with its end. A modified order is followed
 * under its new `order_id`. An end that came before the live connection, or while it was lost, is looked up.
 *
 * ```text
 * source:          -o|             o: the placed order
 * followOrder():   -o--p----f|     p: partially filled, f: filled
 * ```
 *
 * The live connection of the account is open while an order is followed. The stream fails as `exchange.live.my.orders`
 * does: when the account's connection is refused.
 *
 * @example
 * ```ts
 * import { followOrder, type Exchange } from 'exchange-rx';
 *
 * const logFills = (exchange: Exchange) =>
 *   exchange.spot
 *     .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '50000' })
 *     .pipe(followOrder(exchange))
 *     .subscribe({
 *       next: (order) => console.log(order.status, order.deal_stock),
 *       complete: () => console.log('it has ended'),
 *     });
 * ```
 */
export function followOrder(exchange: OrderFollower): OperatorFunction<Order, LiveOrder> {
  return (source) =>
    source.pipe(mergeMap((placed) => concat(of(placed), changesOf(exchange, placed).pipe(map(({ order }) => order)))));
}

/** How an order was filled. Amounts are decimal strings. */
export interface OrderFill {
  /** The order as it has ended: filled or canceled, see its `status`. */
  readonly order: LiveOrder;
  /**
   * The filled amount, base currency; of a modified order, of all of its parts. Absent when the exchange does not report
   * it.
   */
  readonly amount?: string;
  /** The same in the quote currency. */
  readonly money?: string;
  /** The average price, `money / amount`, rounded to 18 decimals. Absent when nothing was filled, or one of both is absent. */
  readonly averagePrice?: string;
  /**
   * The fees, in `feeAsset`. Absent when the exchange does not report them, or the parts of a modified order paid theirs in
   * several assets.
   */
  readonly fee?: string;
  /** Ticker of the asset that the fees are paid in. The live connection does not always say it. */
  readonly feeAsset?: string;
}

/**
 * Waits for the end of each placed order, and emits how it was filled: in full, in part when it was canceled, or not at
 * all. It follows the order as {@link followOrder} does.
 *
 * ```text
 * source:     -o|          o: the placed order
 * filled():   --------f|   f: its amount, average price and fees
 * ```
 *
 * @example
 * ```ts
 * import { filled, type Exchange } from 'exchange-rx';
 *
 * const buy = (exchange: Exchange) =>
 *   exchange.spot
 *     .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '50000' })
 *     .pipe(filled(exchange))
 *     .subscribe(({ amount, averagePrice, fee }) => console.log(amount, 'at', averagePrice, 'fee', fee));
 * ```
 */
export function filled(exchange: OrderFollower): OperatorFunction<Order, OrderFill> {
  return (source) =>
    source.pipe(
      mergeMap((placed) =>
        changesOf(exchange, placed).pipe(
          reduce(withChange, new Map<number, LiveOrder>([[placed.order_id, placed]])),
          map((parts) => fillOf([...parts.values()], placed)),
        ),
      ),
    );
}

function changesOf(exchange: OrderFollower, placed: Order): Observable<OrderChange> {
  return isOpen(placed) ? exchange.live.my.follow(placed) : EMPTY;
}

/** The last state of each order that the placed one was, by its number. */
function withChange(parts: ReadonlyMap<number, LiveOrder>, change: OrderChange): Map<number, LiveOrder> {
  const next = new Map(parts);
  if (change.kind === 'modified') next.set(change.before.order_id, change.before);
  // Last, because the end of the last part is that of the order.
  next.delete(change.order.order_id);
  return next.set(change.order.order_id, change.order);
}

const averagePlaces = 18;

function fillOf(parts: readonly LiveOrder[], placed: Order): OrderFill {
  const order = parts.at(-1) ?? placed;
  const [feeAsset, ...otherAssets] = new Set(parts.flatMap((part) => part.feeAsset ?? []));
  const amount = sumOf(parts, ({ deal_stock }) => (isNothing(deal_stock) ? undefined : deal_stock));
  const money = sumOf(parts, ({ deal_money }) => (isNothing(deal_money) ? undefined : deal_money));
  // Amounts of several assets have no sum.
  const fee = otherAssets.length > 0 ? undefined : sumOf(parts, ({ deal_fee }) => deal_fee);
  return {
    order,
    ...(amount === undefined ? {} : { amount: formatDecimal(amount) }),
    ...(money === undefined ? {} : { money: formatDecimal(money) }),
    ...(amount === undefined || money === undefined || amount.isZero()
      ? {}
      : { averagePrice: formatDecimal(money.dividedBy(amount).decimalPlaces(averagePlaces)) }),
    ...(fee === undefined ? {} : { fee: formatDecimal(fee) }),
    ...(feeAsset === undefined || otherAssets.length > 0 ? {} : { feeAsset }),
  };
}

/** Whether the exchange reports that no part of an order was filled. */
function isUnfilled(part: LiveOrder): boolean {
  return part.deal_stock !== undefined && !hasDeals(part) && isNothing(part.deal_money) && !isFilled(part);
}

/** The sum of what the exchange reports of each part; `undefined` when it does not report one. */
function sumOf(parts: readonly LiveOrder[], reported: (part: LiveOrder) => string | undefined): Decimal | undefined {
  let sum = decimal('0');
  for (const part of parts) {
    const value = reported(part) ?? (isUnfilled(part) ? '0' : undefined);
    if (value === undefined) return undefined;
    sum = sum.plus(value);
  }
  return sum;
}
