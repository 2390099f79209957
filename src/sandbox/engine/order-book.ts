// The order book of one market: the resting orders of accounts, and the sandbox's own levels around the price.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide } from '../../model/order.js';
import type { EngineTime } from '../clock.js';
import type { Tape } from '../market-data/index.js';
import { isPast } from './amounts.js';
import { bestFirst, type BookOrder, type Offer } from './book-order.js';
import { floorTo, type Listing, type MarketDepth, priceStep } from './listing.js';
import type { RecordedBook } from './recorded-book.js';

export class OrderBook {
  /** The price around which the sandbox offers its own liquidity: the mark price of a perpetual. */
  price: Decimal;
  readonly resting = new Set<BookOrder>();
  readonly dormant = new Set<BookOrder>();
  tradesEnabled = true;
  isDelisted = false;
  /** Of a recorded market, instead of the sandbox's own levels. */
  recorded: RecordedBook | undefined;
  #depth: MarketDepth;
  /** Counts the changes of levels so far: two states of the offers never have the same number. */
  changes = 0;
  changedAt: number;
  readonly #taken = new Map<string, Decimal>();

  constructor(
    /** Another one once the recording has shown the rules of its market. */
    public listing: Listing,
    readonly tape: Tape,
    private readonly time: Pick<EngineTime, 'now'>,
  ) {
    this.price = decimal(listing.startPrice);
    this.#depth = listing.depth;
    this.changedAt = time.now();
  }

  setDepth(depth: MarketDepth): void {
    this.#depth = depth;
    this.changed(2 * depth.levels);
  }

  /** Called after each change of the offers: a resting order enters, trades or leaves, or own levels change. */
  changed(levels = 1): void {
    this.changes += Math.max(1, levels);
    this.changedAt = this.time.now();
  }

  /** The offers to a taker of this side, best price first; at one price, older orders first and own levels last. */
  offersFor(side: OrderSide): Offer[] {
    const orders = [...this.resting]
      .filter(({ init }) => init.side !== side)
      .map((order): Offer => ({ price: order.init.price, amount: order.left, order }));
    if (this.recorded !== undefined) return this.recorded.offersTo(side, orders);
    return bestFirst(side, [...orders, ...this.ownLevels(side)]);
  }

  ownLevels(side: OrderSide): Offer[] {
    return Array.from({ length: this.#depth.levels }, (_, level) => {
      const price = this.#ownPrice(level, side);
      return { price, amount: decimal(this.#depth.size).minus(this.#taken.get(price.toFixed()) ?? 0) };
    }).filter(({ price, amount }) => price.isGreaterThan(0) && amount.isGreaterThan(0));
  }

  /** The sandbox's own best offer to a taker of this side, unless an account offers as much or more. */
  bestOwnOffer(side: OrderSide): Offer | undefined {
    const price = this.#ownPrice(0, side);
    const amount = decimal(this.#depth.size);
    if (this.#depth.levels === 0 || !price.isGreaterThan(0) || amount.isZero()) return undefined;
    for (const { init } of this.resting) if (init.side !== side && !isPast(side, init.price, price)) return undefined;
    return { price, amount };
  }

  /** Whether the best own level reaches an order: a cheap check first, because most ticks reach no order. */
  reachedByOwn(): (order: { readonly side: OrderSide; readonly price: Decimal }) => boolean {
    const best = { buy: this.#ownPrice(0, 'buy'), sell: this.#ownPrice(0, 'sell') };
    return ({ side, price }) => !isPast(side, best[side], price);
  }

  #ownPrice(level: number, side: OrderSide): Decimal {
    const distance = (level + 0.5) * this.#depth.step * (side === 'buy' ? 1 : -1);
    const exact = this.price.multipliedBy(1 + distance);
    const tick = priceStep(this.listing);
    const floored = floorTo(exact, tick);
    return side === 'buy' && floored.isLessThan(exact) ? floored.plus(tick) : floored;
  }

  takeOwn(side: OrderSide, price: Decimal, amount: Decimal): void {
    if (this.recorded !== undefined) {
      this.recorded.take(side, price, amount);
      return;
    }
    const key = price.toFixed();
    this.#taken.set(key, amount.plus(this.#taken.get(key) ?? 0));
    this.changed();
  }

  replenish(): void {
    this.#taken.clear();
    this.changed(2 * this.#depth.levels);
  }
}
