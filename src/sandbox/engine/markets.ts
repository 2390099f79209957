// The markets of the engine: a book and a price for each, and the steps of all prices in the order of time.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { EngineTime } from '../clock.js';
import { type NewTrade, Past, type PricedAmount, Tape, tradeIntervalMs } from '../market-data/index.js';
import { createHouseTakers, createPriceWalk, longStep, maxShare, smallestTrade, Ticks } from './market-moves.js';
import type { TickOptions } from './market-moves.js';
import { fundingIntervalMs, fundingRate, type FundingSettlement, keptSettlements, nextSettlement } from './funding.js';
import { amountStep, type Listing, priceStep } from './listing.js';
import { OrderBook } from './order-book.js';

export interface MarketsOptions extends TickOptions {
  readonly listings: readonly Listing[];
  readonly seed: number;
  /** Days of trades before the first call. Without volatility there are none. */
  readonly history: number;
  readonly time: EngineTime;
}

interface Market {
  readonly book: OrderBook;
  readonly nextPrice: ReturnType<typeof createPriceWalk>;
  readonly takersTrade: ReturnType<typeof createHouseTakers>;
  /** Of a perpetual: those that are kept, oldest first. */
  settlements?: readonly FundingSettlement[];
}

/** The seeds of takers, and those of the past, are apart from those of prices, which are next to each other. */
const takerSeed = 1_000_003;
const pastSeed = 2_000_003;
const firstTradeId = 1_900_000_000;

export class Markets {
  /** Called when a market's price has moved, at the time of the move, with the price that triggers stops. */
  onMove: (book: OrderBook, price: Decimal) => void = () => undefined;
  onFunding: (book: OrderBook, settlement: FundingSettlement) => void = () => undefined;
  readonly #markets = new Map<string, Market>();
  readonly #time: EngineTime;
  readonly #ticks: Ticks;
  #fundingAt: number;
  #trades = 0;

  constructor({ listings, seed, tickMs, volatility, history, time }: MarketsOptions) {
    const from = time.now();
    this.#time = time;
    this.#ticks = new Ticks({ volatility, tickMs }, from);
    this.#fundingAt = nextSettlement(from);
    for (const [position, listing] of listings.entries()) {
      const indexPosition = listings.findIndex(({ name }) => name === indexOf(listing));
      // A perpetual moves as its index does: with the same seed.
      const index = indexPosition < 0 ? position : indexPosition;
      const nextPrice = createPriceWalk(Math.max(listing.moneyPrec, 0), seed + index);
      const nextTradeId = () => {
        this.#trades += 1;
        return firstTradeId + this.#trades;
      };
      const price = decimal(listing.startPrice);
      const smallest = smallestTrade(listing);
      const days = volatility === 0 ? 0 : history;
      const past = new Past({
        ...{ days, seed: pastSeed + seed + index, end: from, price },
        maxStep: longStep(volatility, tradeIntervalMs / tickMs),
        priceStep: priceStep(listing),
        amountStep: amountStep(listing),
        amounts: [smallest, decimal(listing.depth.size).multipliedBy(maxShare)],
        lastId: firstTradeId,
        market: [position, listings.length],
      });
      const opening: NewTrade = { at: from, side: 'buy', price, amount: smallest, rpi: false };
      const tape = new Tape(nextTradeId, opening, days === 0 ? undefined : past);
      const book = new OrderBook(listing, tape, time);
      const takersTrade = createHouseTakers(takerSeed + seed + position, tickMs);
      const perpetual = listing.type === 'futures' ? { settlements: [] } : {};
      this.#markets.set(listing.name, { book, nextPrice, takersTrade, ...perpetual });
    }
  }

  find(market: string): OrderBook | undefined {
    return this.#markets.get(market)?.book;
  }

  book(market: string): OrderBook {
    const found = this.find(market);
    if (found === undefined)
      throw new Error(`the sandbox has no market "${market}"; its markets are ${[...this.#markets.keys()].join(', ')}`);
    return found;
  }

  /** The orders that the price reaches are executed before the trade at the new price. */
  setPrice(market: string, price: Decimal): void {
    const book = this.book(market);
    const side = price.isGreaterThanOrEqualTo(book.price) ? 'buy' : 'sell';
    book.price = price;
    this.onMove(book, price);
    book.tape.record({ at: this.#time.now(), side, price, amount: smallestTrade(book.listing), rpi: false });
  }

  views(openInterestOf: (market: string) => Decimal) {
    const listed = [...this.#markets.values()].filter(({ book }) => !book.isDelisted);
    return listed.map(({ book, settlements }) => {
      const indexPrice = this.#indexPrice(book);
      const perpetual = settlements && {
        ...{ indexPrice, settlements, openInterest: openInterestOf(book.listing.name) },
        /** The rate that the next settlement would have now. */
        fundingRate: fundingRate(book.price, indexPrice),
        nextFundingAt: nextSettlement(this.#time.now()),
      };
      return { ...viewOf(book), perpetual };
    });
  }

  /** The earliest first, so that bookings are in the order of time. */
  moveTo(now: number): void {
    for (const { at, maxStep } of this.#ticks.until(now)) {
      this.#settleFunding(at);
      for (const { book, nextPrice, takersTrade } of this.#markets.values()) {
        const from = book.price;
        book.price = nextPrice(from, maxStep);
        this.#time.during(at, () => {
          this.onMove(book, book.price);
        });
        takersTrade(book, from, at);
      }
    }
    this.#settleFunding(now);
  }

  #settleFunding(now: number): void {
    for (; this.#fundingAt <= now; this.#fundingAt += fundingIntervalMs)
      for (const market of this.#markets.values()) {
        if (market.settlements === undefined) continue;
        const { price } = market.book;
        const settlement = { at: this.#fundingAt, rate: fundingRate(price, this.#indexPrice(market.book)), price };
        market.settlements = [...market.settlements, settlement].slice(-keptSettlements);
        this.#time.during(settlement.at, () => {
          this.onFunding(market.book, settlement);
        });
      }
  }

  /** A perpetual without an index in the sandbox is its own. */
  #indexPrice({ listing, price }: OrderBook): Decimal {
    return this.find(indexOf(listing))?.price ?? price;
  }
}

/** The name of the spot market whose price is a perpetual's index; of any other market, its own name. */
function indexOf({ stock, money }: Listing): string {
  return `${stock}_${money}`;
}

export type MarketView = ReturnType<Markets['views']>[number];

/** A market at this moment: its book goes on to change. */
function viewOf(book: OrderBook) {
  // Retail Price Improvement orders trade, and are in no list of offers. A recorded list has no order of the sandbox.
  const visible = (side: 'buy' | 'sell'): readonly PricedAmount[] =>
    book.recorded?.levels(side) ?? book.offersFor(side).filter(({ order }) => order?.init.rpi !== true);
  const { listing, tradesEnabled, tape, price, changes, changedAt, recorded } = book;
  return {
    ...{ listing, tradesEnabled, tape, price, changes, changedAt, recorded },
    /** Best first. */
    asks: () => visible('buy'),
    bids: () => visible('sell'),
  };
}
