// The lifecycle of an accepted order: it enters, trades, rests or waits for its trigger, and ends. A trade is booked in the
// wallets of a spot order, and in the position of a collateral order.
import { decimal, type Decimal, formatDecimal } from '../../model/decimal.js';
import type { OrderStatus } from '../../model/order.js';
import type { Books } from '../books.js';
import type { EngineTime } from '../clock.js';
import type { LedgerFill } from '../ledger.js';
import type { NewTrade } from '../market-data/index.js';
import { Journal } from '../retention.js';
import type { AccountEvents } from './account-events.js';
import { isPast, min, opposite } from './amounts.js';
import { BookOrder, reducing, type BookOrderInit } from './book-order.js';
import { exactFeeOf, roundFee } from './listing.js';
import { type MatchPlan, planMatch } from './matching.js';
import type { OrderBook } from './order-book.js';
import type { Orders } from './orders.js';
import type { Positions } from './positions.js';
import type { Reservations } from './reservations.js';

interface Trade {
  readonly id: number;
  readonly price: Decimal;
  /** In the base currency. */
  readonly amount: Decimal;
}

const firstOrderId = 4_180_000_000;
const firstConditionalId = 29_000_000;

export class OrderLifecycle {
  readonly fills = new Journal<LedgerFill>();
  #timestamps = { ms: 0, count: 0 };
  #conditionals = 0;

  constructor(
    private readonly time: EngineTime,
    private readonly books: Books,
    private readonly positions: Positions,
    private readonly orders: Orders,
    private readonly reservations: Reservations,
    private readonly events: AccountEvents,
  ) {}

  open(init: Omit<BookOrderInit, 'order_id' | 'timestamp'>): BookOrder {
    return new BookOrder({ ...init, order_id: firstOrderId + this.orders.count, timestamp: this.#timestamp() });
  }

  newConditionalId(): number {
    this.#conditionals += 1;
    return firstConditionalId + this.#conditionals;
  }

  plan(order: BookOrder, book: OrderBook, mid: Decimal): MatchPlan {
    return planMatch(order, book, mid, this.positions);
  }

  enter(order: BookOrder, book: OrderBook, plan: MatchPlan): void {
    this.orders.add(order);
    this.#trade(order, book, plan);
  }

  wait(order: BookOrder, book: OrderBook): void {
    this.orders.add(order);
    book.dormant.add(order);
    this.reservations.reserve(order, book.listing);
    this.events.order(1, order);
  }

  trigger(order: BookOrder, book: OrderBook, mid: Decimal): void {
    if (order.isDormant && isTriggered(order, mid)) this.#activate(order, book, mid);
  }

  priceMoved(book: OrderBook, mid: Decimal): void {
    book.replenish();
    for (const order of [...book.dormant]) this.trigger(order, book, mid);
    if (book.resting.size === 0) return;
    const isReached = book.reachedByOwn(mid);
    for (const order of [...book.resting])
      if (order.isOpen && isReached(order.init)) this.#fillByOwnLevels(order, book, mid);
  }

  finish(order: BookOrder, book: OrderBook, status: OrderStatus): void {
    order.end(status, this.#timestamp());
    if (book.resting.delete(order)) book.changed();
    book.recorded?.reduce(order);
    book.dormant.delete(order);
    this.orders.allOpen.delete(order);
    this.reservations.release(order);
    this.events.order(3, order);
    if (order.init.oto === undefined || order.dealStock.isZero()) return;
    this.#placeStops(order, order.init.oto, book);
    this.#closeReduceOnly(book);
  }

  #trade(order: BookOrder, book: OrderBook, { fills, cancels, end }: MatchPlan): void {
    for (const canceled of cancels) this.finish(canceled, book, 'CANCELED_STP');
    const { side, order_id: takerOrderId } = order.init;
    for (const { offer, amount } of fills) {
      const { price, order: maker } = offer;
      const id = printed(book, {
        ...{ at: this.time.now(), side, price, amount, rpi: maker?.init.rpi ?? false, takerOrderId },
        ...(maker === undefined ? {} : { makerOrderId: maker.init.order_id }),
      });
      this.#settle(order, 'taker', { id, price, amount }, book);
      if (maker === undefined) {
        book.takeOwn(side, price, amount);
      } else {
        this.#settleMaker(maker, { id, price, amount }, book);
        this.#afterFill(maker, book);
      }
    }
    const isLimit = order.init.price.isGreaterThan(0);
    if (end === 'filled') this.finish(order, book, 'FILLED');
    else if (end === 'self-trade') this.finish(order, book, 'CANCELED_STP');
    else if (end === 'band') this.finish(order, book, 'CANCELED_TAKER_BAND');
    else if (!isLimit || order.init.ioc) this.finish(order, book, order.canceledStatus);
    else this.#rest(order, book);
    this.#closeReduceOnly(book);
  }

  #rest(order: BookOrder, book: OrderBook): void {
    book.resting.add(order);
    book.changed();
    book.recorded?.enter(order);
    this.reservations.reserve(order, book.listing);
    // A stop order was reported when it was triggered.
    if (!order.activated) this.events.order(1, order);
    else if (!order.dealStock.isZero()) this.events.order(2, order);
  }

  #afterFill(order: BookOrder, book: OrderBook): void {
    if (order.left.isZero()) this.finish(order, book, 'FILLED');
    else this.events.order(2, order);
    this.#closeReduceOnly(book);
  }

  #fillByOwnLevels(order: BookOrder, book: OrderBook, mid: Decimal): void {
    const { left } = order;
    const { side, price } = order.init;
    for (const level of book.ownLevels(side, mid)) {
      if (isPast(side, level.price, price)) break;
      const amount = this.#fillResting(order, book, level.amount);
      if (amount.isZero()) break;
      book.takeOwn(opposite(side), level.price, amount);
    }
    if (!order.left.isEqualTo(left)) this.#afterFill(order, book);
  }

  fillQueued(order: BookOrder, book: OrderBook, maxAmount: Decimal): void {
    if (!this.#fillResting(order, book, maxAmount).isZero()) this.#afterFill(order, book);
  }

  #fillResting(order: BookOrder, book: OrderBook, maxAmount: Decimal): Decimal {
    const { price, side, rpi, reduceOnly, order_id: makerOrderId } = order.init;
    const wanted = reduceOnly ? min(order.left, this.positions.reducible(order.init)) : order.left;
    const amount = min(wanted, maxAmount);
    if (amount.isZero()) return amount;
    const id = printed(book, { at: this.time.now(), side: opposite(side), price, amount, rpi, makerOrderId });
    this.#settleMaker(order, { id, price, amount }, book);
    return amount;
  }

  #settleMaker(order: BookOrder, trade: Trade, book: OrderBook): void {
    this.#settle(order, 'maker', trade, book);
    book.changed();
    book.recorded?.reduce(order);
    this.reservations.reduce(order, book.listing);
  }

  #settle(order: BookOrder, role: 'maker' | 'taker', { id, price, amount }: Trade, { listing }: OrderBook): void {
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

  #activate(order: BookOrder, book: OrderBook, mid: Decimal): void {
    order.activate(this.time.now());
    book.dormant.delete(order);
    this.reservations.release(order);
    const { childOf, collateral, reduceOnly } = order.init;
    for (const sibling of [...book.dormant]) {
      if (childOf !== undefined && sibling.init.childOf === childOf) this.finish(sibling, book, 'CANCELED');
    }
    if (reduceOnly) order.left = min(order.left, this.positions.reducible(order.init));
    this.events.order(1, order);
    const plan = this.plan(order, book, mid);
    if (!collateral && !this.reservations.canPay(order, book.listing, plan.money)) this.finish(order, book, 'CANCELED');
    else this.#trade(order, book, plan);
  }

  #placeStops({ init, dealStock }: BookOrder, oto: NonNullable<BookOrderInit['oto']>, book: OrderBook): void {
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
      this.wait(stop, book);
    }
  }

  #closeReduceOnly(book: OrderBook): void {
    for (const pending of [...book.resting, ...book.dormant]) {
      if (pending.init.reduceOnly && this.positions.reducible(pending.init).isZero())
        this.finish(pending, book, 'AUTO_CANCELED_REDUCE_ONLY');
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

function isTriggered({ init }: BookOrder, mid: Decimal): boolean {
  if (init.stop === undefined) return false;
  return init.stop.condition === 'lte'
    ? mid.isLessThanOrEqualTo(init.stop.price)
    : mid.isGreaterThanOrEqualTo(init.stop.price);
}
