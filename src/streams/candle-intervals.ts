// The intervals of candles on the time line, and a candle of a long interval made of candles of a short one.
import { candleSeconds, type Candle, type CandleInterval } from '../model/candle.js';
import { decimal, formatDecimal, isAboveZero } from '../model/decimal.js';

/** The time at which a candle ends, Unix seconds. */
export function endOf(time: number, interval: CandleInterval): number {
  if (interval === '1M') {
    const begin = new Date(time * 1000);
    return Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1) / 1000;
  }
  return time + candleSeconds[interval];
}

/** The beginning of the interval that holds a time, of the intervals that follow each other from `begin` on. */
export function beginOf(time: number, begin: number, interval: CandleInterval): number {
  if (time < begin) return begin;
  if (interval === '1M') {
    const month = new Date(time * 1000);
    return Math.max(begin, Date.UTC(month.getUTCFullYear(), month.getUTCMonth()) / 1000);
  }
  const seconds = candleSeconds[interval];
  return begin + Math.floor((time - begin) / seconds) * seconds;
}

/** Of which closed candles the current candle consists: at most 186 of them. `1s` has no shorter interval. */
export const partsOf: Readonly<Record<CandleInterval, CandleInterval | undefined>> = {
  '1s': undefined,
  '10s': '1s',
  '30s': '1s',
  '1m': '1s',
  '3m': '10s',
  '5m': '10s',
  '15m': '10s',
  '30m': '1m',
  '1h': '1m',
  '2h': '1m',
  '4h': '5m',
  '6h': '5m',
  '8h': '5m',
  '12h': '5m',
  '1d': '15m',
  '3d': '1h',
  '1w': '1h',
  '1M': '4h',
};

/** One candle made of several, oldest first; `undefined` of none. */
export function joinCandles(all: readonly Candle[], time: number): Candle | undefined {
  // A candle without a trade has the price of an earlier one, which is not a price of its interval.
  const traded = all.filter(({ volume }) => volume === undefined || isAboveZero(volume));
  const parts = traded.length > 0 ? traded : all;
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const extreme = (prices: readonly string[], sign: 1 | -1) =>
    prices.reduce((best, price) => (decimal(price).comparedTo(best) === sign ? price : best));
  return {
    time,
    open: first.open,
    high: extreme(
      parts.map(({ high }) => high),
      1,
    ),
    low: extreme(
      parts.map(({ low }) => low),
      -1,
    ),
    close: last.close,
    ...sumOf('volume', parts),
    ...sumOf('money_volume', parts),
  };
}

/** The sum of a volume; absent where a candle lacks it. */
function sumOf(field: 'volume' | 'money_volume', parts: readonly Candle[]): Pick<Candle, typeof field> {
  let sum = decimal(0);
  for (const part of parts) {
    const volume = part[field];
    if (volume === undefined) return {};
    sum = sum.plus(volume);
  }
  return { [field]: formatDecimal(sum) };
}
