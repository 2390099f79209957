// One market's book: the orders of accounts that rest in it, and the liquidity that the sandbox itself offers around
// the price.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide } from '../../model/order.js';
import type { BookOrder } from './book-order.js';
import { floorTo, priceStep, type Depth, type Listing } from './listing.js';

/** An offer that a taker can trade with: an account's resting order, or a level of the sandbox's own. */
export interface Offer {
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly order?: BookOrder;
}

export class OrderBook {
  /** Orders that rest in the book. */
  readonly resting = new Set<BookOrder>();
  /** Orders that wait for their trigger price. */
  readonly dormant = new Set<BookOrder>();
  tradesEnabled = true;
  depth: Depth;
  /** What was taken of the sandbox's own levels since the price last moved, by price. */
  readonly #taken = new Map<string, Decimal>();

  constructor(readonly listing: Listing) {
    this.depth = listing.depth;
  }

  /**
   * What a taker of this side meets, best price first, and the order that rested first among equals; own levels come
   * last.
   */
  offersFor(side: OrderSide, mid: Decimal): Offer[] {
    const orders = [...this.resting]
      .filter(({ init }) => init.side !== side)
      .map((order): Offer => ({ price: order.init.price, amount: order.left, order }));
    const direction = side === 'buy' ? 1 : -1;
    return [...orders, ...this.ownLevels(side, mid)].sort((a, b) => direction * (a.price.comparedTo(b.price) ?? 0));
  }

  /** The sandbox's own offers to a taker of this side, best first. */
  ownLevels(side: OrderSide, mid: Decimal): Offer[] {
    const { levels, size } = this.depth;
    return Array.from({ length: levels }, (_, level) => {
      const price = this.#ownPrice(level, side, mid);
      return { price, amount: decimal(size).minus(this.#taken.get(price.toFixed()) ?? 0) };
    }).filter(({ price, amount }) => price.isGreaterThan(0) && amount.isGreaterThan(0));
  }

  /**
   * Which prices the best of the sandbox's own levels is as good as: most ticks reach no order, and the levels need not
   * be made.
   */
  reachedByOwn(mid: Decimal): (order: { readonly side: OrderSide; readonly price: Decimal }) => boolean {
    const best = { buy: this.#ownPrice(0, 'buy', mid), sell: this.#ownPrice(0, 'sell', mid) };
    return ({ side, price }) =>
      side === 'buy' ? best.buy.isLessThanOrEqualTo(price) : best.sell.isGreaterThanOrEqualTo(price);
  }

  #ownPrice(level: number, side: OrderSide, mid: Decimal): Decimal {
    const distance = (level + 0.5) * this.depth.step * (side === 'buy' ? 1 : -1);
    const wished = mid.multipliedBy(1 + distance);
    const tick = priceStep(this.listing);
    const below = floorTo(wished, tick);
    return side === 'buy' && below.isLessThan(wished) ? below.plus(tick) : below;
  }

  /** Takes from one of the sandbox's own levels. */
  takeOwn(price: Decimal, amount: Decimal): void {
    const key = price.toFixed();
    this.#taken.set(key, amount.plus(this.#taken.get(key) ?? 0));
  }

  /** The sandbox offers anew, as it does whenever the price moves. */
  replenish(): void {
    this.#taken.clear();
  }
}
