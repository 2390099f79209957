// The markets of the engine: a book and a price for each, and the steps of all prices in the order of time.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { EngineTime } from '../clock.js';
import {
  type MarketTrade,
  type NewTrade,
  Past,
  type PricedAmount,
  Tape,
  tradeIntervalMs,
} from '../market-data/index.js';
import { longStep, PriceWalk, type TickOptions, Ticks } from './price-walk.js';
import { fundingIntervalMs, fundingRate, type FundingSettlement, keptSettlements, nextSettlement } from './funding.js';
import { HouseTakers, maxShare, smallestTrade } from './house-takers.js';
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
  readonly walk: PriceWalk;
  readonly takers: HouseTakers;
  /** Of a perpetual: those that are kept, oldest first. */
  settlements?: readonly FundingSettlement[];
}

/** The seeds of takers, and those of the past, are apart from those of prices, which are next to each other. */
const takerSeed = 1_000_003;
const pastSeed = 2_000_003;
const firstTradeId = 1_900_000_000;

export class Markets {
  /** Called when a market's price has moved, at the time of the move. */
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
      const walk = new PriceWalk(listing.startPrice, Math.max(listing.moneyPrec, 0), seed + index);
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
      const takers = new HouseTakers(takerSeed + seed + position, tickMs);
      const perpetual = listing.type === 'futures' ? { settlements: [] } : {};
      this.#markets.set(listing.name, { book, walk, takers, ...perpetual });
    }
  }

  find(market: string): OrderBook | undefined {
    return this.#markets.get(market)?.book;
  }

  book(market: string): OrderBook {
    return this.#get(market).book;
  }

  price(market: string): Decimal {
    return this.#get(market).walk.price;
  }

  /** The orders that the price reaches are executed before the trade at the new price. */
  setPrice(market: string, price: Decimal): void {
    const { book, walk, takers } = this.#get(market);
    const from = walk.price;
    walk.price = price;
    this.onMove(book, price);
    takers.print(book, { from, to: price, at: this.#time.now() });
  }

  restart(market: string, opening: NewTrade): void {
    const { book, walk } = this.#get(market);
    book.tape.restart(opening);
    walk.price = opening.price;
  }

  print(market: string, trade: NewTrade & Pick<MarketTrade, 'id'>): void {
    const { book, walk } = this.#get(market);
    book.tape.record(trade);
    walk.price = trade.price;
  }

  views(openInterestOf: (market: string) => Decimal): MarketView[] {
    const listed = [...this.#markets.values()].filter(({ book }) => !book.isDelisted);
    return listed.map((market) => {
      const { book, walk, settlements } = market;
      if (settlements === undefined) return viewOf(book, walk.price, undefined);
      const indexPrice = this.#indexPrice(market);
      return viewOf(book, walk.price, {
        indexPrice,
        fundingRate: fundingRate(walk.price, indexPrice),
        nextFundingAt: nextSettlement(this.#time.now()),
        settlements,
        openInterest: openInterestOf(book.listing.name),
      });
    });
  }

  /** The earliest first, so that bookings are in the order of time. `now` is Unix milliseconds. */
  moveTo(now: number): void {
    for (const { at, maxStep } of this.#ticks.until(now)) {
      this.#settleFunding(at);
      for (const { book, walk, takers } of this.#markets.values()) {
        const from = walk.price;
        walk.step(maxStep);
        this.#time.during(at, () => {
          this.onMove(book, walk.price);
        });
        takers.trade(book, { from, to: walk.price, at });
      }
    }
    this.#settleFunding(now);
  }

  #settleFunding(now: number): void {
    for (; this.#fundingAt <= now; this.#fundingAt += fundingIntervalMs)
      for (const market of this.#markets.values()) {
        if (market.settlements === undefined) continue;
        const { price } = market.walk;
        const settlement = { at: this.#fundingAt, rate: fundingRate(price, this.#indexPrice(market)), price };
        market.settlements = [...market.settlements, settlement].slice(-keptSettlements);
        this.#time.during(settlement.at, () => {
          this.onFunding(market.book, settlement);
        });
      }
  }

  /** A perpetual without an index in the sandbox is its own. */
  #indexPrice({ book, walk }: Market): Decimal {
    return this.#markets.get(indexOf(book.listing))?.walk.price ?? walk.price;
  }

  #get(market: string): Market {
    const found = this.#markets.get(market);
    if (found === undefined)
      throw new Error(`the sandbox has no market "${market}"; its markets are ${[...this.#markets.keys()].join(', ')}`);
    return found;
  }
}

/** The name of the spot market whose price is a perpetual's index; of any other market, its own name. */
function indexOf({ stock, money }: Listing): string {
  return `${stock}_${money}`;
}

type BookState = 'listing' | 'tradesEnabled' | 'tape' | 'changes' | 'changedAt' | 'recorded';

export interface MarketView extends Readonly<Pick<OrderBook, BookState>> {
  /** The price around which the sandbox offers its own liquidity: the mark price of a perpetual. */
  readonly price: Decimal;
  /** The visible offers, best first. */
  readonly asks: () => readonly PricedAmount[];
  readonly bids: () => readonly PricedAmount[];
  readonly perpetual: PerpetualView | undefined;
}

export interface PerpetualView {
  readonly indexPrice: Decimal;
  /** The rate that the next settlement would have now. */
  readonly fundingRate: Decimal;
  /** Unix milliseconds. */
  readonly nextFundingAt: number;
  /** The kept settlements, oldest first. */
  readonly settlements: readonly FundingSettlement[];
  /** The open positions of one direction, in the base currency. */
  readonly openInterest: Decimal;
}

function viewOf(book: OrderBook, price: Decimal, perpetual: PerpetualView | undefined): MarketView {
  // Retail Price Improvement orders trade, and are in no list of offers. A recorded list has no order of the sandbox.
  const visible = (side: 'buy' | 'sell') =>
    book.recorded?.levels(side) ?? book.offersFor(side, price).filter(({ order }) => order?.init.rpi !== true);
  const { listing, tradesEnabled, tape, changes, changedAt, recorded } = book;
  return {
    ...{ listing, tradesEnabled, tape, price, changes, changedAt, recorded, perpetual },
    asks: () => visible('buy'),
    bids: () => visible('sell'),
  };
}
