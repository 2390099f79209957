// The price of a market: a seeded random walk that takes one step a tick, so that the same seed at the same time is the
// same price.
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

/**
 * A market that was idle for longer than so many ticks (83 minutes at 250 ms) catches up in as many longer steps: a
 * week of ticks takes seconds.
 */
const maxStepsAtOnce = 20_000;
/** The greatest relative step of several ticks. */
const maxLongStep = 0.5;

/** A step of a price that is due. */
export interface PriceStep {
  /** When it was due, Unix ms. */
  readonly at: number;
  readonly take: () => void;
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

  /** The steps due by `now` (Unix ms), each to be taken before the next one is asked for. */
  *steps(now: number): Generator<PriceStep, undefined> {
    const { from, tickMs, volatility, places } = this.#options;
    const due = Math.floor((now - from) / tickMs);
    if (volatility === 0) this.#ticks = Math.max(this.#ticks, due);
    const ticksAStep = Math.ceil((due - this.#ticks) / maxStepsAtOnce);
    // As far as so many steps of one tick are likely to lead.
    const greatest = Math.max(volatility, Math.min(maxLongStep, volatility * Math.sqrt(ticksAStep)));
    const least = decimalStep(places);
    while (this.#ticks < due) {
      const ticks = Math.min(due, this.#ticks + ticksAStep);
      yield {
        at: from + ticks * tickMs,
        take: () => {
          this.#ticks = ticks;
          const step = 1 + (this.#random() * 2 - 1) * greatest;
          const next = this.#price.multipliedBy(step).decimalPlaces(places);
          this.#price = next.isLessThan(least) ? least : next;
        },
      };
    }
    return undefined;
  }
}
