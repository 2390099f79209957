// A market as the public endpoints show it.
import type { Decimal } from '../../model/decimal.js';
import type { PricedAmount, Tape } from '../market-data/index.js';
import type { FundingSettlement } from './funding.js';
import type { Listing } from './listing.js';
import type { OrderBook } from './order-book.js';

/** The market at one moment. */
export interface MarketView {
  readonly listing: Listing;
  readonly tradesEnabled: boolean;
  readonly tape: Tape;
  /** The price around which the sandbox offers its own liquidity: the mark price of a perpetual. */
  readonly price: Decimal;
  /** The changes of the offers so far, counted. */
  readonly changes: number;
  /** When the offers last changed, Unix milliseconds. */
  readonly changedAt: number;
  /** The visible offers, best first. */
  readonly asks: () => readonly PricedAmount[];
  readonly bids: () => readonly PricedAmount[];
  /** Of a perpetual. */
  readonly perpetual?: PerpetualView;
}

/** What a perpetual has besides. */
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

export function viewOf(book: OrderBook, price: Decimal, perpetual: PerpetualView | undefined): MarketView {
  // Retail Price Improvement orders trade, and are in no list of offers.
  const visible = (side: 'buy' | 'sell') => book.offersFor(side, price).filter(({ order }) => order?.init.rpi !== true);
  return {
    listing: book.listing,
    tradesEnabled: book.tradesEnabled,
    tape: book.tape,
    price,
    changes: book.changes,
    changedAt: book.changedAt,
    asks: () => visible('buy'),
    bids: () => visible('sell'),
    ...(perpetual === undefined ? {} : { perpetual }),
  };
}
