// Candles of one length, made of trades one by one.
import type { Decimal } from '../../model/decimal.js';
import type { Past } from './past.js';
import type { Candle, MarketTrade } from './trade.js';

export class CandleSeries {
  readonly #candles = new Map<number, Candle>();

  constructor(
    /** Length of a candle, seconds. */
    readonly seconds: number,
    /** Number of candles that are kept; at most twice as many are. */
    private readonly kept = Number.POSITIVE_INFINITY,
    private past?: Past,
  ) {}

  /** The time of the first candle, Unix seconds; `undefined` before the first trade. */
  get firstTime(): number | undefined {
    return this.past === undefined ? this.#candles.keys().next().value : this.#beginOf(this.past.firstAt);
  }

  add({ at, price, amount, money }: MarketTrade): void {
    const time = this.#beginOf(at);
    const trade = { time, open: price, close: price, high: price, low: price, stock: amount, money };
    const candle = this.#candles.get(time);
    this.#candles.set(time, candle === undefined ? trade : joined(candle, trade));
    if (this.#candles.size <= 2 * this.kept) return;
    this.past = undefined;
    const excess = [...this.#candles.keys()].slice(0, this.#candles.size - this.kept);
    for (const old of excess) this.#candles.delete(old);
  }

  /** The candle of the interval from `start` to `end` (exclusive), Unix seconds; `undefined` without a trade. */
  between(start: number, end: number): Candle | undefined {
    let found = this.past?.candle(start, end - start);
    for (let time = start; time < end; time += this.seconds) {
      const candle = this.#candles.get(time);
      if (candle !== undefined) found = found === undefined ? { ...candle, time: start } : joined(found, candle);
    }
    return found;
  }

  /** The price of the last trade before this time, Unix seconds. */
  closeBefore(end: number): Decimal | undefined {
    let close: Decimal | undefined;
    for (const candle of this.#candles.values()) if (candle.time < end) ({ close } = candle);
    return close ?? this.past?.closeBefore(end);
  }

  #beginOf(at: number): number {
    return Math.floor(at / 1000 / this.seconds) * this.seconds;
  }
}

function joined(earlier: Candle, later: Candle): Candle {
  return {
    time: earlier.time,
    open: earlier.open,
    close: later.close,
    high: later.high.isGreaterThan(earlier.high) ? later.high : earlier.high,
    low: later.low.isLessThan(earlier.low) ? later.low : earlier.low,
    stock: earlier.stock.plus(later.stock),
    money: earlier.money.plus(later.money),
  };
}
