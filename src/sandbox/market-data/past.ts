// The trades of a market before the sandbox began: seeded, and made when they are first read.
import type { Decimal } from '../../model/decimal.js';
import type { OrderSide } from '../../model/order.js';
import { createRandom } from '../random.js';
import type { Candle, MarketTrade } from './trade.js';

/** The mean time between two trades of the sandbox itself, milliseconds: before its begin and after. */
export const tradeIntervalMs = 5000;
const tradesPerDay = 86_400_000 / tradeIntervalMs;
/** Bounds the price of a market whose volatility is high, as a multiple of its price at the begin. */
const maxRise = 100;

export interface PastOptions {
  readonly days: number;
  readonly seed: number;
  /** The begin of the sandbox, Unix milliseconds: the end of the past. */
  readonly end: number;
  readonly price: Decimal;
  /** Maximum relative step of the price from one trade to the next. */
  readonly maxStep: number;
  readonly priceStep: Decimal;
  readonly amountStep: Decimal;
  readonly amounts: readonly [smallest: Decimal, largest: Decimal];
  /** The number of the last trade before the begin, of all markets. */
  readonly lastId: number;
  /** The position of this market among all of them, and their number. */
  readonly market: readonly [position: number, count: number];
}

export class Past {
  #trades: ReturnType<typeof makeTrades> | undefined;

  constructor(private readonly options: PastOptions) {}

  get firstAt(): number {
    return this.#made.times[0] ?? this.options.end;
  }

  /** The trades of the interval that begins at `time`, Unix seconds; `undefined` without a trade. */
  candle(time: number, seconds: number): Candle | undefined {
    if (time * 1000 >= this.options.end) return undefined;
    const { prices, amounts } = this.#made;
    const [first, last] = [this.#countBefore(time * 1000), this.#countBefore((time + seconds) * 1000) - 1];
    if (first > last) return undefined;
    const { priceStep, amountStep } = this.options;
    let [high, low, stock, money] = [0, Infinity, 0n, 0n];
    for (let index = first; index <= last; index += 1) {
      const price = prices[index] ?? 0;
      const amount = BigInt(amounts[index] ?? 0);
      high = Math.max(high, price);
      low = Math.min(low, price);
      stock += amount;
      money += amount * BigInt(price);
    }
    return {
      time,
      open: this.#priceOf(first),
      close: this.#priceOf(last),
      high: priceStep.multipliedBy(high),
      low: priceStep.multipliedBy(low),
      stock: amountStep.multipliedBy(stock.toString()),
      money: amountStep.multipliedBy(priceStep).multipliedBy(money.toString()),
    };
  }

  closeBefore(end: number): Decimal | undefined {
    const count = this.#countBefore(end * 1000);
    return count === 0 ? undefined : this.#priceOf(count - 1);
  }

  trades(count: number): MarketTrade[] {
    const { times, prices, amounts } = this.#made;
    const { amountStep, lastId, market } = this.options;
    const [position, markets] = market;
    const first = Math.max(times.length - count, 0);
    return Array.from(times.subarray(first), (at, offset) => {
      const index = first + offset;
      const price = this.#priceOf(index);
      const amount = amountStep.multipliedBy(amounts[index] ?? 0);
      const side: OrderSide = (prices[index] ?? 0) >= (prices[index - 1] ?? 0) ? 'buy' : 'sell';
      // Markets take turns: the numbers of all of them grow with time.
      const id = lastId - (times.length - index) * markets + position + 1;
      return { id, at, side, price, amount, money: amount.multipliedBy(price), rpi: false };
    });
  }

  #priceOf(index: number): Decimal {
    return this.options.priceStep.multipliedBy(this.#made.prices[index] ?? 0);
  }

  /** Each interval of {@link tradeIntervalMs} before the end has one trade. */
  #countBefore(at: number): number {
    const { times } = this.#made;
    const intervals = times.length + Math.floor((at - this.options.end) / tradeIntervalMs);
    const index = Math.min(Math.max(intervals, 0), times.length);
    return (times[index] ?? at) < at ? index + 1 : index;
  }

  get #made() {
    return (this.#trades ??= makeTrades(this.options));
  }
}

/**
 * Oldest first: times in Unix milliseconds, prices and amounts in steps. Made from the begin of the sandbox back, so that
 * the newest trades are the same, however long the past is.
 */
function makeTrades(options: PastOptions) {
  const { days, seed, end, price, maxStep, priceStep, amountStep, amounts: bounds, market } = options;
  const [position, markets] = market;
  const random = createRandom(seed);
  const [smallest = 1, largest = 1] = bounds.map((amount) => Math.floor(amount.dividedBy(amountStep).toNumber()));
  const count = days * tradesPerDay;
  const [times, prices, amounts] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  const start = price.dividedBy(priceStep).toNumber();
  let current = start;
  for (let age = 1; age <= count; age += 1) {
    const turn = Math.floor(((position + random()) * tradeIntervalMs) / markets);
    times[count - age] = end - age * tradeIntervalMs + turn;
    prices[count - age] = Math.round(current);
    amounts[count - age] = Math.max(smallest, Math.floor(largest * random() ** 3));
    current /= 1 + (random() * 2 - 1) * maxStep;
    current = Math.min(Math.max(current, 1), start * maxRise);
  }
  return { times, prices, amounts };
}
