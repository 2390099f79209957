// The price of a market: a seeded random walk with one step per tick, which is the same at the same time for the same
// seed.
import { decimal, type Decimal, decimalStep } from '../../model/decimal.js';
import { createRandom } from '../random.js';

export interface PriceOptions {
  readonly start: string;
  readonly places: number;
  /** Maximum relative step per tick; 0 for a constant price. */
  readonly volatility: number;
  readonly tickMs: number;
  readonly seed: number;
  /** Start of the walk, Unix milliseconds. */
  readonly from: number;
}

/** A market that was idle for more ticks catches up in this many longer steps: the ticks of a week take seconds. */
const maxStepsAtOnce = 20_000;
const maxLongStep = 0.5;

/** Maximum relative step of several ticks together: the expected distance of a random walk grows with their square root. */
export function longStep(volatility: number, ticks: number): number {
  return Math.max(volatility, Math.min(maxLongStep, volatility * Math.sqrt(ticks)));
}

export interface PriceStep {
  /** When the step was due, Unix milliseconds. */
  readonly at: number;
  readonly take: () => void;
}

/** A price that moves with the clock, without a timer: its reader takes the steps that are due. */
export class PriceWalk {
  price: Decimal;
  #ticks = 0;
  readonly #random: () => number;

  constructor(private readonly options: PriceOptions) {
    this.price = decimal(options.start);
    this.#random = createRandom(options.seed);
  }

  /** The steps due by `now` (Unix milliseconds). Take each step before requesting the next one. */
  *steps(now: number): Generator<PriceStep, undefined> {
    const { from, tickMs, volatility, places } = this.options;
    const due = Math.floor((now - from) / tickMs);
    if (volatility === 0) this.#ticks = Math.max(this.#ticks, due);
    const ticksPerStep = Math.ceil((due - this.#ticks) / maxStepsAtOnce);
    const maxStep = longStep(volatility, ticksPerStep);
    const minPrice = decimalStep(places);
    while (this.#ticks < due) {
      const ticks = Math.min(due, this.#ticks + ticksPerStep);
      yield {
        at: from + ticks * tickMs,
        take: () => {
          this.#ticks = ticks;
          const step = 1 + (this.#random() * 2 - 1) * maxStep;
          this.price = minPrice.multipliedBy(Math.max(1, Math.round(this.price.toNumber() * step * 10 ** places)));
        },
      };
    }
    return undefined;
  }
}
