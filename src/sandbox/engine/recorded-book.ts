// The liquidity of a recorded market as its order book offers it, with the places of resting orders in it.
import type { Decimal } from '../../model/decimal.js';
import type { OrderSide } from '../../model/order.js';
import { excess, min, opposite } from './amounts.js';
import { bestFirst, type BookOrder, type Offer } from './book-order.js';
import { amountStep, type Listing } from './listing.js';
import { noLiquidity } from './liquidity.js';
import { after, createQueue, type MarketEvent, type QueueFill, type QueueModel, type RecordedTrade } from './queue.js';

/** The number of levels a side that recorded frames show. */
const recordedLevels = 100;

export class RecordedBook {
  #queue: ReturnType<typeof createQueue>;
  #isTaken = false;
  /** The exchange's number of the last frame. */
  updateId: number | undefined;

  /** @param engineTime the latest engine time of what takes effect now */
  constructor(
    model: QueueModel,
    listing: Listing,
    private readonly engineTime: () => number,
  ) {
    this.#queue = createQueue({ model, step: amountStep(listing), shown: noLiquidity(recordedLevels) });
  }

  get isOpen(): boolean {
    return this.#queue.isOpen;
  }

  /** Whether it is open, and has all that it shows: no order has taken anything. */
  get isUntouched(): boolean {
    return this.isOpen && !this.#isTaken;
  }

  relist(listing: Listing): void {
    this.#queue = { ...this.#queue, step: amountStep(listing) };
  }

  /** Whether a trade comes after all trades before it: each subscription begins with old ones. */
  isNew({ id }: Pick<RecordedTrade, 'id'>): boolean {
    return id > this.#queue.lastTradeId;
  }

  /** Whether the market was open here when it traded: what traded in a gap comes late. */
  wasOpenAt({ at }: Pick<RecordedTrade, 'at'>): boolean {
    return this.isOpen && at > this.#queue.openedAt;
  }

  apply(event: MarketEvent): readonly QueueFill[] {
    const [queue, fills] = after(this.#queue, event);
    this.#queue = queue;
    if (event.kind === 'take' || (event.kind === 'frame' && this.#isTaken))
      this.#isTaken = [...queue.shown.buy, ...queue.shown.sell].some(({ taken }) => !taken.isZero());
    return fills;
  }

  levels(side: OrderSide): readonly Offer[] {
    return this.#queue.shown[opposite(side)];
  }

  /** The offers to a taker of this side: at the price of a resting order, first the amount ahead of it. */
  offersTo(side: OrderSide, resting: readonly Offer[]): Offer[] {
    const levels = this.#queue.shown[opposite(side)];
    const places = new Map(this.#queue.orders.map((order) => [order.id, order]));
    const offers: Offer[] = levels.flatMap(({ price, amount, taken }) => {
      const free = amount.minus(taken);
      let behind = free;
      const parts: Offer[] = [];
      for (const offer of resting.filter((one) => one.price.isEqualTo(price))) {
        const place = places.get(offer.order?.init.order_id ?? 0);
        const ahead = min(behind, excess(place?.ahead ?? free, free.minus(behind)));
        parts.push({ price, amount: ahead }, offer);
        behind = behind.minus(ahead);
      }
      return [...parts, { price, amount: behind }];
    });
    const shown = new Set(levels.map(({ price }) => price.toFixed()));
    const alone = resting.filter(({ price }) => !shown.has(price.toFixed()));
    return bestFirst(side, [...offers.filter(({ amount }) => !amount.isZero()), ...alone]);
  }

  take(side: OrderSide, price: Decimal, amount: Decimal): void {
    this.apply({ kind: 'take', side: opposite(side), price, amount });
  }

  enter({ init: { order_id: id, side, price }, left }: BookOrder): void {
    this.apply({ kind: 'enter', order: { id, side, price, left, enteredAt: this.engineTime() } });
  }

  reduce({ init, left, isOpen }: BookOrder): void {
    this.apply({ kind: 'reduce', id: init.order_id, left: isOpen ? left : left.minus(left) });
  }
}
