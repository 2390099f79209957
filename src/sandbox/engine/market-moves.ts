// The seeded moves of the markets: the price at each tick, and the trades of the sandbox's own takers after it. Takers give a
// market a history without any account. They change no order: own levels are refilled at once, and a trade that an
// account's order would have to make instead is left out.
import { decimal, type Decimal, decimalStep } from '../../model/decimal.js';
import { tradeIntervalMs } from '../market-data/index.js';
import { createRandom } from '../random.js';
import { amountStep, floorTo, type Listing } from './listing.js';
import type { OrderBook } from './order-book.js';

export function createPriceWalk(places: number, seed: number): (price: Decimal, maxStep: number) => Decimal {
  const random = createRandom(seed);
  const minPrice = decimalStep(places);
  return (price, maxStep) => {
    const step = 1 + (random() * 2 - 1) * maxStep;
    return minPrice.multipliedBy(Math.max(1, Math.round(price.toNumber() * step * 10 ** places)));
  };
}

export interface TickOptions {
  /** Maximum relative step per tick; 0 for constant prices. */
  readonly volatility: number;
  readonly tickMs: number;
}

/** Markets that were idle for more ticks catch up in this many longer steps: the ticks of a week take seconds. */
const maxStepsAtOnce = 20_000;
const maxLongStep = 0.5;

/** Maximum relative step of several ticks together: the expected distance of a random walk grows with their square root. */
export function longStep(volatility: number, ticks: number): number {
  return Math.max(volatility, Math.min(maxLongStep, volatility * Math.sqrt(ticks)));
}

export class Ticks {
  #taken = 0;

  constructor(
    private readonly options: TickOptions,
    private readonly from: number,
  ) {}

  /** The steps due by `now`: when each was due, and the maximum relative step. */
  *until(now: number): Generator<{ readonly at: number; readonly maxStep: number }> {
    const { tickMs, volatility } = this.options;
    const due = Math.floor((now - this.from) / tickMs);
    if (volatility === 0) this.#taken = Math.max(this.#taken, due);
    const ticksPerStep = Math.ceil((due - this.#taken) / maxStepsAtOnce);
    const maxStep = longStep(volatility, ticksPerStep);
    while (this.#taken < due) {
      this.#taken = Math.min(due, this.#taken + ticksPerStep);
      yield { at: this.from + this.#taken * tickMs, maxStep };
    }
  }
}

const trendShare = 0.7;
/** Largest trade, as a share of a level. */
export const maxShare = 0.5;

/** Makes the trade, if any, that follows the move of a market's price. */
export function createHouseTakers(seed: number, tickMs: number): (book: OrderBook, from: Decimal, at: number) => void {
  const random = createRandom(seed);
  return (book, from, at) => {
    // Always three numbers: the next trades must not depend on what this one meets.
    const [chance, trend, size] = [random(), random(), random()];
    if (!book.tradesEnabled || chance * tradeIntervalMs >= tickMs) return;
    const isRise = book.price.isGreaterThanOrEqualTo(from);
    const side = trend < trendShare === isRise ? 'buy' : 'sell';
    const offer = book.bestOwnOffer(side);
    if (offer === undefined) return;
    const amount = floorTo(offer.amount.multipliedBy(maxShare * size ** 3), amountStep(book.listing));
    const smallest = smallestTrade(book.listing);
    const traded = amount.isLessThan(smallest) ? smallest : amount;
    book.tape.record({ at, side, price: offer.price, amount: traded, rpi: false });
  };
}

export function smallestTrade(listing: Listing): Decimal {
  const step = amountStep(listing);
  const floored = floorTo(decimal(listing.minAmount), step);
  return floored.isZero() ? step : floored;
}
