// The sandbox's own takers: trades with the sandbox's own levels, seeded and on the clock, so that a market has a
// history without any account. They change no order: the levels are refilled at once, and a trade that an account's
// order would have to make instead is left out.
import { decimal, type Decimal } from '../../model/decimal.js';
import { tradeIntervalMs } from '../market-data/index.js';
import { createRandom } from '../random.js';
import { amountStep, floorTo, type Listing } from './listing.js';
import type { OrderBook } from './order-book.js';

const trendShare = 0.7;
/** Largest trade, as a share of a level. */
export const maxShare = 0.5;

export interface PriceMove {
  readonly from: Decimal;
  readonly to: Decimal;
  /** Unix milliseconds. */
  readonly at: number;
}

export class HouseTakers {
  readonly #random: () => number;

  constructor(
    seed: number,
    private readonly tickMs: number,
  ) {
    this.#random = createRandom(seed);
  }

  trade(book: OrderBook, { from, to, at }: PriceMove): void {
    // Always three numbers: the next trades must not depend on what this one meets.
    const [chance, trend, size] = [this.#random(), this.#random(), this.#random()];
    if (!book.tradesEnabled || chance * tradeIntervalMs >= this.tickMs) return;
    const isRise = to.isGreaterThanOrEqualTo(from);
    const side = trend < trendShare === isRise ? 'buy' : 'sell';
    const offer = book.bestOwnOffer(side, to);
    if (offer === undefined) return;
    // Many small trades, and few large ones.
    const amount = floorTo(offer.amount.multipliedBy(maxShare * size ** 3), amountStep(book.listing));
    const smallest = smallestTrade(book.listing);
    const traded = amount.isLessThan(smallest) ? smallest : amount;
    book.tape.record({ at, side, price: offer.price, amount: traded, rpi: false });
  }

  print(book: OrderBook, { from, to, at }: PriceMove): void {
    const side = to.isGreaterThanOrEqualTo(from) ? 'buy' : 'sell';
    book.tape.record({ at, side, price: to, amount: smallestTrade(book.listing), rpi: false });
  }
}

export function smallestTrade(listing: Listing): Decimal {
  const step = amountStep(listing);
  const floored = floorTo(decimal(listing.minAmount), step);
  return floored.isZero() ? step : floored;
}
