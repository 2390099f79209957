// The markets of the engine: a book and a price for each, and the steps of all prices in the order of time.
import type { Decimal } from '../../model/decimal.js';
import { marketRecord, type Listing, type MarketRecord } from './listing.js';
import { OrderBook } from './order-book.js';
import { PriceWalk } from './price-walk.js';

export interface MarketsOptions {
  readonly listings: readonly Listing[];
  readonly seed: number;
  readonly tickMs: number;
  readonly volatility: number;
  /** Start of the prices, Unix milliseconds. */
  readonly from: number;
}

interface Market {
  readonly book: OrderBook;
  readonly walk: PriceWalk;
}

export class Markets {
  readonly #markets = new Map<string, Market>();

  constructor({ listings, seed, tickMs, volatility, from }: MarketsOptions) {
    for (const [index, listing] of listings.entries()) {
      const places = Math.max(listing.moneyPrec, 0);
      const walk = new PriceWalk({ start: listing.startPrice, places, volatility, tickMs, seed: seed + index, from });
      this.#markets.set(listing.name, { book: new OrderBook(listing), walk });
    }
  }

  /** The book of a market named by a request; `undefined` for an unknown market. */
  find(market: string): OrderBook | undefined {
    return this.#markets.get(market)?.book;
  }

  /** The book of a market named by a test; throws for an unknown market. */
  book(market: string): OrderBook {
    return this.#get(market).book;
  }

  price(market: string): Decimal {
    return this.#get(market).walk.price;
  }

  setPrice(market: string, price: Decimal): void {
    this.#get(market).walk.set(price);
  }

  records(): MarketRecord[] {
    return [...this.#markets.values()].map(({ book }) => marketRecord(book.listing, book.tradesEnabled));
  }

  /**
   * Takes the steps of all markets that are due by `now` (Unix milliseconds), the earliest first, so that bookings are
   * in the order of time.
   */
  moveTo(now: number, onMove: (book: OrderBook, price: Decimal, at: number) => void): void {
    const walks = [...this.#markets.values()].map(({ book, walk }) => {
      const steps = walk.steps(now);
      return { book, walk, steps, next: steps.next().value };
    });
    for (;;) {
      let earliest: { readonly at: number; readonly index: number } | undefined;
      for (const [index, { next }] of walks.entries()) {
        if (next !== undefined && (earliest === undefined || next.at < earliest.at)) earliest = { at: next.at, index };
      }
      const moving = earliest === undefined ? undefined : walks[earliest.index];
      if (moving?.next === undefined) return;
      moving.next.take();
      onMove(moving.book, moving.walk.price, moving.next.at);
      moving.next = moving.steps.next().value;
    }
  }

  #get(market: string): Market {
    const found = this.#markets.get(market);
    if (found === undefined)
      throw new Error(`the sandbox has no market "${market}"; its markets are ${[...this.#markets.keys()].join(', ')}`);
    return found;
  }
}
