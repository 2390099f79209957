// The lifecycle of an accepted order: it enters, trades, rests or waits for its trigger, and ends.
import { decimal, type Decimal, formatDecimal } from '../../model/decimal.js';
import type { OrderStatus } from '../../model/order.js';
import type { EngineTime } from '../clock.js';
import type { NewTrade } from '../market-data/index.js';
import type { AccountEvents } from './account-events.js';
import { BookOrder, reducing, type BookOrderInit, type Offer } from './book-order.js';
import { amountStep } from './listing.js';
import { type MatchPlan, type OrderBook, planMatch } from './order-book.js';
import type { Orders } from './orders.js';
import type { Positions } from './positions.js';
import type { Reservations } from './reservations.js';
import type { Settlement, Trade } from './settlement.js';

/** How far the fills of a market order may be from the best price, as a share of that price. */
const takerBand = 0.02;
const firstOrderId = 4_180_000_000;
const firstConditionalId = 29_000_000;

export class OrderLifecycle {
  #timestamps = { ms: 0, count: 0 };
  #conditionals = 0;

  constructor(
    private readonly time: EngineTime,
    private readonly positions: Positions,
    private readonly settlement: Settlement,
    private readonly orders: Orders,
    private readonly reservations: Reservations,
    private readonly events: AccountEvents,
  ) {}

  open(init: Omit<BookOrderInit, 'order_id' | 'timestamp'>): BookOrder {
    return new BookOrder({ ...init, order_id: firstOrderId + this.orders.count, timestamp: this.#timestamp() });
  }

  newOto(stopLoss: string | undefined, takeProfit: string | undefined): NonNullable<BookOrderInit['oto']> {
    return {
      otoId: this.newConditionalId(),
      ...(stopLoss === undefined ? {} : { stopLoss }),
      ...(takeProfit === undefined ? {} : { takeProfit }),
    };
  }

  newConditionalId(): number {
    this.#conditionals += 1;
    return firstConditionalId + this.#conditionals;
  }

  plan(order: BookOrder, book: OrderBook, mid: Decimal): MatchPlan {
    const { side, price } = order.init;
    const offers = this.#limitToPositions(order, book.offersFor(side, mid));
    const step = amountStep(book.listing);
    if (price.isGreaterThan(0)) return planMatch(order, offers, { worst: price, end: 'limit', amountStep: step });
    const best = offers[0]?.price ?? mid;
    const worst = best.multipliedBy(side === 'buy' ? 1 + takerBand : 1 - takerBand);
    return planMatch(order, offers, { worst, end: 'band', amountStep: step });
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
    this.orders.close(order);
    this.reservations.release(order);
    this.events.order(3, order);
    if (order.init.oto === undefined || order.dealStock.isZero()) return;
    this.#placeStops(order, order.init.oto, book);
    this.#closeReduceOnly(book);
  }

  #trade(order: BookOrder, book: OrderBook, { fills, cancels, end }: MatchPlan): void {
    for (const canceled of cancels) this.finish(canceled, book, 'CANCELED_STP');
    for (const { offer, amount } of fills) {
      const id = printed(book, {
        at: this.time.now(),
        side: order.init.side,
        price: offer.price,
        amount,
        rpi: offer.order?.init.rpi ?? false,
        takerOrderId: order.init.order_id,
        ...(offer.order === undefined ? {} : { makerOrderId: offer.order.init.order_id }),
      });
      const trade = { id, listing: book.listing, price: offer.price, amount };
      this.settlement.settle({ ...trade, order, role: 'taker' });
      if (offer.order === undefined) {
        book.takeOwn(order.init.side, offer.price, amount);
      } else {
        this.#settleMaker({ ...trade, order: offer.order, role: 'maker' }, book);
        this.#afterFill(offer.order, book);
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
      if (side === 'buy' ? level.price.isGreaterThan(price) : level.price.isLessThan(price)) break;
      const amount = this.#fillResting(order, book, level.amount);
      if (amount.isZero()) break;
      book.takeOwn(side === 'buy' ? 'sell' : 'buy', level.price, amount);
    }
    if (!order.left.isEqualTo(left)) this.#afterFill(order, book);
  }

  fillQueued(order: BookOrder, book: OrderBook, maxAmount: Decimal): void {
    if (!this.#fillResting(order, book, maxAmount).isZero()) this.#afterFill(order, book);
  }

  #fillResting(order: BookOrder, book: OrderBook, maxAmount: Decimal): Decimal {
    const { price, side, rpi, reduceOnly, order_id: makerOrderId } = order.init;
    const reducible = this.positions.reducible(order.init);
    const wanted = reduceOnly && order.left.isGreaterThan(reducible) ? reducible : order.left;
    const amount = wanted.isLessThan(maxAmount) ? wanted : maxAmount;
    if (amount.isZero()) return amount;
    const taker = side === 'buy' ? 'sell' : 'buy';
    const id = printed(book, { at: this.time.now(), side: taker, price, amount, rpi, makerOrderId });
    this.#settleMaker({ id, order, listing: book.listing, role: 'maker', price, amount }, book);
    return amount;
  }

  #settleMaker(trade: Trade, book: OrderBook): void {
    this.settlement.settle(trade);
    book.changed();
    book.recorded?.reduce(trade.order);
    this.reservations.reduce(trade.order, trade.listing);
  }

  #activate(order: BookOrder, book: OrderBook, mid: Decimal): void {
    order.activate(this.time.now());
    book.dormant.delete(order);
    this.reservations.release(order);
    const { childOf, collateral, reduceOnly } = order.init;
    for (const sibling of [...book.dormant]) {
      if (childOf !== undefined && sibling.init.childOf === childOf) this.finish(sibling, book, 'CANCELED');
    }
    if (reduceOnly) {
      const reducible = this.positions.reducible(order.init);
      if (reducible.isLessThan(order.left)) order.left = reducible;
    }
    this.events.order(1, order);
    const plan = this.plan(order, book, mid);
    const money = plan.fills.reduce((sum, fill) => sum.plus(fill.money), decimal(0));
    if (!collateral && !this.reservations.canPay(order, book.listing, money)) this.finish(order, book, 'CANCELED');
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

  /** The offers to a taker; a reduce-only offer keeps only what better offers of its account leave of the position. */
  #limitToPositions(taker: BookOrder, offers: readonly Offer[]): Offer[] {
    const reducibleOf = new Map<string, Decimal>();
    return offers.flatMap((offer) => {
      if (offer.order?.init.collateral !== true || leavesPosition(taker, offer.order)) return [offer];
      const { account, positionSide = 'BOTH', reduceOnly } = offer.order.init;
      const position = JSON.stringify([account, positionSide]);
      const reducible = reducibleOf.get(position) ?? this.positions.reducible(offer.order.init);
      const amount = decimal(reduceOnly && reducible.isLessThan(offer.amount) ? reducible : offer.amount);
      reducibleOf.set(position, decimal(amount.isLessThan(reducible) ? reducible.minus(amount) : 0));
      return amount.isZero() ? [] : [{ ...offer, amount }];
    });
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

/** Whether a trade of the two leaves the resting order's position unchanged: self-trade prevention, or one position. */
function leavesPosition({ init: taker }: BookOrder, { init: resting }: BookOrder): boolean {
  if (taker.account !== resting.account) return false;
  return taker.stp !== 'no' || (taker.collateral && taker.positionSide === resting.positionSide);
}

function isTriggered({ init }: BookOrder, mid: Decimal): boolean {
  if (init.stop === undefined) return false;
  return init.stop.condition === 'lte'
    ? mid.isLessThanOrEqualTo(init.stop.price)
    : mid.isGreaterThanOrEqualTo(init.stop.price);
}
