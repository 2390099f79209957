// Recorded markets in the engine: trades move prices and trigger stop orders; trades and frames fill orders.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { EngineTime } from '../clock.js';
import type { Listing } from './listing.js';
import type { Markets } from './markets.js';
import type { OrderBook } from './order-book.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { MarketEvent, RecordedTrade } from './queue.js';

export class RecordedEvents {
  /** The last trade on the tape, by market; 0 where only the price is known. */
  readonly #printed = new Map<string, number>();

  /** Called before the engine is used: events of the past may still follow. */
  catchUp = (): void => undefined;

  constructor(
    private readonly markets: Markets,
    private readonly lifecycle: OrderLifecycle,
    private readonly time: EngineTime,
  ) {}

  relist(listing: Listing): void {
    const book = this.markets.book(listing.name);
    book.listing = listing;
    book.recorded?.relist(listing);
  }

  /** Puts a trade on the tape once: a response and the first message of a subscription both have old ones. */
  print(market: string, trade: RecordedTrade): void {
    const book = this.markets.book(market);
    if (!this.#printed.has(market)) this.#restart(book, trade.price, trade.at);
    if (trade.id <= (this.#printed.get(market) ?? 0)) return;
    this.#printed.set(market, trade.id);
    book.tape.record(trade);
    book.price = trade.price;
  }

  /** @param at when it was received */
  apply(market: string, event: MarketEvent, at: number): void {
    this.time.during(at, () => {
      this.#apply(market, event, at);
    });
  }

  #apply(market: string, event: MarketEvent, at: number): void {
    const book = this.markets.book(market);
    const { recorded } = book;
    if (recorded === undefined) return;
    const isNew = event.kind !== 'trade' || recorded.isNew(event);
    const fills = recorded.apply(event);
    if (event.kind === 'frame') book.changed();
    for (const { id, amount } of fills) {
      const order = [...book.resting].find(({ init }) => init.order_id === id);
      if (order !== undefined) this.lifecycle.fillQueued(order, amount);
    }
    if (event.kind === 'frame' && recorded.isOpen && !this.#printed.has(market)) {
      const [bid, ask] = [recorded.levels('sell')[0]?.price, recorded.levels('buy')[0]?.price];
      const price = bid !== undefined && ask !== undefined ? bid.plus(ask).dividedBy(2) : (bid ?? ask);
      if (price !== undefined) this.#restart(book, price, at);
    }
    if (event.kind !== 'trade' || !isNew) return;
    this.print(market, event);
    // A response may have printed newer trades: it triggers stops, and the price remains theirs.
    if (recorded.wasOpenAt(event)) this.markets.onMove(book, event.price);
  }

  #restart(book: OrderBook, price: Decimal, at: number): void {
    this.#printed.set(book.listing.name, 0);
    book.tape.restart({ at, side: 'buy', price, amount: decimal(0), rpi: false });
    book.price = price;
  }
}
