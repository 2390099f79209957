// Fills of resting orders by a taker that is no account: the sandbox itself.
import type { Decimal } from '../../model/decimal.js';
import type { BookOrder } from './book-order.js';
import type { EngineTime } from './engine-time.js';
import type { OrderBook } from './order-book.js';
import type { Positions } from './positions.js';
import type { Trade } from './settlement.js';

export interface RestingFillsParts {
  readonly time: EngineTime;
  readonly positions: Positions;
  readonly settle: (trade: Trade, book: OrderBook) => void;
  readonly onFilled: (order: BookOrder, book: OrderBook) => void;
}

export class RestingFills {
  constructor(private readonly parts: RestingFillsParts) {}

  /** Fills the orders that the sandbox's own levels reach, as far as these go. */
  byOwnLevels(book: OrderBook, mid: Decimal): void {
    if (book.resting.size === 0) return;
    const isReached = book.reachedByOwn(mid);
    for (const order of [...book.resting]) {
      if (order.isOpen && isReached(order.init)) this.#byOwnLevels(order, book, mid);
    }
  }

  #byOwnLevels(order: BookOrder, book: OrderBook, mid: Decimal): void {
    const { side, price } = order.init;
    const { left } = order;
    for (const level of book.ownLevels(side, mid)) {
      if (side === 'buy' ? level.price.isGreaterThan(price) : level.price.isLessThan(price)) break;
      const wanted = this.#fillable(order);
      const amount = wanted.isLessThan(level.amount) ? wanted : level.amount;
      if (amount.isZero()) break;
      book.takeOwn(level.price, amount);
      this.#fill(order, book, amount);
    }
    if (!order.left.isEqualTo(left)) this.parts.onFilled(order, book);
  }

  #fillable({ init, left }: BookOrder): Decimal {
    const reducible = this.parts.positions.reducible(init);
    return init.reduceOnly === true && left.isGreaterThan(reducible) ? reducible : left;
  }

  #fill(order: BookOrder, book: OrderBook, amount: Decimal): void {
    const { side, price, rpi = false, order_id: makerOrderId } = order.init;
    const taker = side === 'buy' ? 'sell' : 'buy';
    const at = this.parts.time.now();
    const { id } = book.tape.record({ at, side: taker, price, amount, rpi, makerOrderId });
    this.parts.settle({ id, order, listing: book.listing, role: 'maker', price, amount }, book);
  }
}
