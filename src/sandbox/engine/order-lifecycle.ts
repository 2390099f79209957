// The lifecycle of an accepted order: it enters, trades, rests or waits for its trigger, and ends. A trade is booked in the
// wallets of a spot order, and in the position of a collateral order.
import { decimal, type Decimal, formatDecimal } from '../../model/decimal.js';
import type { OrderStatus } from '../../model/order.js';
import type { Books } from '../books.js';
import type { EngineTime } from '../clock.js';
import type { LedgerFill } from '../ledger.js';
import type { MarketTrade, NewTrade } from '../market-data/index.js';
import { Journal } from '../retention.js';
import type { AccountEvents } from './account-events.js';
import { isPast, min, opposite } from './amounts.js';
import { BookOrder, reducing, type BookOrderInit, type NewBookOrder } from './book-order.js';
import { exactFeeOf, roundFee } from './listing.js';
import { type MatchPlan, planMatch } from './matching.js';
import type { Markets } from './markets.js';
import type { OrderBook } from './order-book.js';
import type { Orders } from './orders.js';
import type { Positions } from './positions.js';
import type { Reservations } from './reservations.js';

type Trade = Pick<MarketTrade, 'id' | 'price' | 'amount'>;

const firstOrderId = 4_180_000_000;
const firstConditionalId = 29_000_000;

export class OrderLifecycle {
  readonly fills = new Journal<LedgerFill>();
  #timestamps = { ms: 0, count: 0 };
  #conditionals = 0;

  constructor(
    private readonly time: EngineTime,
    private readonly books: Books,
    private readonly markets: Pick<Markets, 'book'>,
    private readonly positions: Positions,
    private readonly orders: Orders,
    private readonly reservations: Reservations,
    private readonly events: AccountEvents,
  ) {}

  open(init: NewBookOrder): BookOrder {
    return new BookOrder({ ...init, order_id: firstOrderId + this.orders.count, timestamp: this.#timestamp() });
  }

  newConditionalId(): number {
    this.#conditionals += 1;
    return firstConditionalId + this.#conditionals;
  }

  plan(order: BookOrder): MatchPlan {
    return planMatch(order, this.#bookOf(order), this.positions);
  }

  enter(order: BookOrder, plan: MatchPlan): void {
    this.orders.add(order);
    this.#trade(order, plan);
  }

  wait(order: BookOrder): void {
    this.orders.add(order);
    this.#bookOf(order).dormant.add(order);
    this.reservations.reserve(order);
    this.events.order(1, order);
  }

  trigger(order: BookOrder, price: Decimal): void {
    if (order.isDormant && isTriggered(order, price)) this.#activate(order);
  }

  priceMoved(book: OrderBook, price: Decimal): void {
    book.replenish();
    for (const order of [...book.dormant]) this.trigger(order, price);
    if (book.resting.size === 0) return;
    const isReached = book.reachedByOwn();
    for (const order of [...book.resting])
      if (order.isOpen && isReached(order.init)) this.#fillByOwnLevels(order, book);
  }

  finish(order: BookOrder, status: OrderStatus = order.canceledStatus): void {
    const book = this.#bookOf(order);
    order.end(status, this.#timestamp());
    if (book.resting.delete(order)) book.changed();
    book.recorded?.reduce(order);
    book.dormant.delete(order);
    this.orders.allOpen.delete(order);
    this.reservations.release(order);
    this.events.order(3, order);
    if (order.init.oto === undefined || order.dealStock.isZero()) return;
    this.#placeStops(order, order.init.oto);
    this.#closeReduceOnly(book);
  }

  #bookOf({ init }: BookOrder): OrderBook {
    return this.markets.book(init.market);
  }

  #trade(order: BookOrder, { fills, cancels, end }: MatchPlan): void {
    const book = this.#bookOf(order);
    for (const canceled of cancels) this.finish(canceled, 'CANCELED_STP');
    const { side, order_id: takerOrderId } = order.init;
    for (const { offer, amount } of fills) {
      const { price, order: maker } = offer;
      const id = printed(book, {
        ...{ at: this.time.now(), side, price, amount, rpi: maker?.init.rpi ?? false, takerOrderId },
        ...(maker === undefined ? {} : { makerOrderId: maker.init.order_id }),
      });
      this.#settle(order, 'taker', { id, price, amount });
      if (maker === undefined) {
        book.takeOwn(side, price, amount);
      } else {
        this.#settleMaker(maker, { id, price, amount });
        this.#afterFill(maker);
      }
    }
    const isLimit = order.init.price.isGreaterThan(0);
    if (end === 'filled') this.finish(order, 'FILLED');
    else if (end === 'self-trade') this.finish(order, 'CANCELED_STP');
    else if (end === 'band') this.finish(order, 'CANCELED_TAKER_BAND');
    else if (!isLimit || order.init.ioc) this.finish(order);
    else this.#rest(order);
    this.#closeReduceOnly(book);
  }

  #rest(order: BookOrder): void {
    const book = this.#bookOf(order);
    book.resting.add(order);
    book.changed();
    book.recorded?.enter(order);
    this.reservations.reserve(order);
    // A stop order was reported when it was triggered.
    if (!order.activated) this.events.order(1, order);
    else if (!order.dealStock.isZero()) this.events.order(2, order);
  }

  #afterFill(order: BookOrder): void {
    if (order.left.isZero()) this.finish(order, 'FILLED');
    else this.events.order(2, order);
    this.#closeReduceOnly(this.#bookOf(order));
  }

  #fillByOwnLevels(order: BookOrder, book: OrderBook): void {
    const { left } = order;
    const { side, price } = order.init;
    for (const level of book.ownLevels(side)) {
      if (isPast(side, level.price, price)) break;
      const amount = this.#fillResting(order, level.amount);
      if (amount.isZero()) break;
      book.takeOwn(opposite(side), level.price, amount);
    }
    if (!order.left.isEqualTo(left)) this.#afterFill(order);
  }

  fillQueued(order: BookOrder, maxAmount: Decimal): void {
    if (!this.#fillResting(order, maxAmount).isZero()) this.#afterFill(order);
  }

  #fillResting(order: BookOrder, maxAmount: Decimal): Decimal {
    const { price, side, rpi, reduceOnly, order_id: makerOrderId } = order.init;
    const wanted = reduceOnly ? min(order.left, this.positions.reducible(order.init)) : order.left;
    const amount = min(wanted, maxAmount);
    if (amount.isZero()) return amount;
    const trade = { at: this.time.now(), side: opposite(side), price, amount, rpi, makerOrderId };
    this.#settleMaker(order, { id: printed(this.#bookOf(order), trade), price, amount });
    return amount;
  }

  #settleMaker(order: BookOrder, trade: Trade): void {
    this.#settle(order, 'maker', trade);
    const book = this.#bookOf(order);
    book.changed();
    book.recorded?.reduce(order);
    this.reservations.reduce(order);
  }

  #settle(order: BookOrder, role: 'maker' | 'taker', { id, price, amount }: Trade): void {
    const { listing } = this.#bookOf(order);
    const { account, side, order_id, client_order_id, collateral, market } = order.init;
    const at = this.time.now();
    const money = amount.multipliedBy(price);
    // Rounded in sum: the fees of many fills are not more than the order has reserved for them.
    order.exactFee = order.exactFee.plus(exactFeeOf(listing, role, money));
    const fee = roundFee(listing, order.exactFee).minus(order.dealFee);
    order.fill(amount, money, fee, at);

    const book = (asset: string, delta: Decimal, reason: 'trade' | 'fee' | 'profit') => {
      this.books.change(account, collateral ? 'collateral' : 'trade', asset, delta, reason, { order_id });
    };
    if (collateral) {
      const profit = this.positions.trade(order.init, { order_id, client_order_id, side, amount, price, fee });
      book(listing.money, profit, 'profit');
    } else {
      book(listing.stock, side === 'buy' ? amount : amount.negated(), 'trade');
      book(listing.money, side === 'buy' ? money.negated() : money, 'trade');
    }
    book(listing.money, fee.negated(), 'fee');

    const fill: LedgerFill = {
      ...{ id, account, order_id, client_order_id, market, side, role, currency: listing.money, at },
      ...{ price: formatDecimal(price), amount: formatDecimal(amount) },
      ...{ money: formatDecimal(money), fee: formatDecimal(fee) },
    };
    this.fills.push(fill);
    this.events.deal(fill);
  }

  #activate(order: BookOrder): void {
    const { dormant } = this.#bookOf(order);
    order.activate(this.time.now());
    dormant.delete(order);
    this.reservations.release(order);
    const { childOf, collateral, reduceOnly } = order.init;
    for (const sibling of [...dormant]) {
      if (childOf !== undefined && sibling.init.childOf === childOf) this.finish(sibling, 'CANCELED');
    }
    if (reduceOnly) order.left = min(order.left, this.positions.reducible(order.init));
    this.events.order(1, order);
    const plan = this.plan(order);
    if (!collateral && !this.reservations.canPay(order, plan.money)) this.finish(order, 'CANCELED');
    else this.#trade(order, plan);
  }

  #placeStops({ init, dealStock }: BookOrder, oto: NonNullable<BookOrderInit['oto']>): void {
    const long = init.side === 'buy';
    const stops = [
      { price: oto.stopLoss, condition: long ? 'lte' : 'gte' },
      { price: oto.takeProfit, condition: long ? 'gte' : 'lte' },
    ] as const;
    for (const { price, condition } of stops) {
      if (price === undefined) continue;
      const { account, market, positionSide } = init;
      const stop = this.open({
        ...{ ...reducing, account, market, positionSide, side: long ? 'sell' : 'buy' },
        ...{ type: 'stop market', amount: dealStock },
        stop: { condition, price: decimal(formatDecimal(decimal(price))) },
        childOf: oto.otoId,
      });
      this.wait(stop);
    }
  }

  #closeReduceOnly(book: OrderBook): void {
    for (const pending of [...book.resting, ...book.dormant]) {
      if (pending.init.reduceOnly && this.positions.reducible(pending.init).isZero())
        this.finish(pending, 'AUTO_CANCELED_REDUCE_ONLY');
    }
  }

  /** Unix seconds with microseconds, which count the timestamps of one millisecond. */
  #timestamp(): number {
    const ms = Math.floor(this.time.now());
    this.#timestamps = { ms, count: ms === this.#timestamps.ms ? this.#timestamps.count + 1 : 0 };
    return (ms * 1000 + (this.#timestamps.count % 1000)) / 1e6;
  }
}

/** Numbers a trade of an account, which is on the tape of no recorded market: its tape is the recorded one. */
function printed({ tape, recorded }: OrderBook, trade: NewTrade): number {
  return recorded === undefined ? tape.record(trade).id : tape.nextId();
}

function isTriggered({ init: { stop } }: BookOrder, price: Decimal): boolean {
  if (stop === undefined) return false;
  return stop.condition === 'lte' ? price.isLessThanOrEqualTo(stop.price) : price.isGreaterThanOrEqualTo(stop.price);
}
