// The prices of the markets: seeded random walks with one step per tick, which are the same at the same time for the same seed.
import { decimal, type Decimal, decimalStep } from '../../model/decimal.js';
import { createRandom } from '../random.js';

export class PriceWalk {
  price: Decimal;
  readonly #random: () => number;

  constructor(
    start: string,
    private readonly places: number,
    seed: number,
  ) {
    this.price = decimal(start);
    this.#random = createRandom(seed);
  }

  step(maxStep: number): void {
    const step = 1 + (this.#random() * 2 - 1) * maxStep;
    const minPrice = decimalStep(this.places);
    this.price = minPrice.multipliedBy(Math.max(1, Math.round(this.price.toNumber() * step * 10 ** this.places)));
  }
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

/** The ticks of the clock, without a timer: their reader takes those that are due. */
export class Ticks {
  #taken = 0;

  constructor(
    private readonly options: TickOptions,
    /** Unix milliseconds. */
    private readonly from: number,
  ) {}

  /** The steps due by `now` (Unix milliseconds): when each was due, and the maximum relative step. */
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
