// The price of a market: a seeded random walk that takes one step a tick, so that the same seed at the same time is the same price.
import { decimal, decimalStep, type Decimal } from '../model/decimal.js';
import { createRandom } from './random.js';

export interface PriceOptions {
  readonly start: string;
  /** Decimal places of the price. */
  readonly places: number;
  /** The greatest relative step of a tick; 0 stands still. */
  readonly volatility: number;
  readonly tickMs: number;
  readonly seed: number;
  /** When the walk begins, Unix ms. */
  readonly from: number;
}

/** A price that moves with the clock. It is asked for the steps it has taken, rather than moved by a timer. */
export class PriceWalk {
  #price: Decimal;
  #ticks = 0;
  readonly #random: () => number;
  readonly #options: PriceOptions;

  constructor(options: PriceOptions) {
    this.#options = options;
    this.#price = decimal(options.start);
    this.#random = createRandom(options.seed);
  }

  get price(): Decimal {
    return this.#price;
  }

  set(price: Decimal): void {
    this.#price = price;
  }

  /** Takes every step due by `now` (Unix ms), calling `moved` after each. */
  advance(now: number, moved: () => void): void {
    const { from, tickMs, volatility, places } = this.#options;
    const due = Math.floor((now - from) / tickMs);
    for (; this.#ticks < due; this.#ticks += 1) {
      if (volatility === 0) continue;
      const step = 1 + (this.#random() * 2 - 1) * volatility;
      const least = decimalStep(places);
      const next = this.#price.multipliedBy(step).decimalPlaces(places);
      this.#price = next.isLessThan(least) ? least : next;
      moved();
    }
  }
}
