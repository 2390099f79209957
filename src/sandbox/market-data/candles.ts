// Candles of any published interval: closed ones, without gaps. An interval without a trade has the price of the trade
// before it, and no volume.
import { CandleSeries } from './candle-series.js';
import { stillCandle, type Candle } from './trade.js';
import type { Tape } from './tape.js';

const secondsPerDay = 86_400;
const secondsPerWeek = 7 * secondsPerDay;
/** 1970-01-05, the first Monday: weeks begin on Mondays. */
const firstMonday = 4 * secondsPerDay;

const secondsOfUnit = { s: 1, m: 60, h: 3600, d: secondsPerDay, w: secondsPerWeek };

/** A number and a unit, such as `15m`; `M` is a month. */
export type CandleInterval = string;

export interface CandleRequest {
  readonly interval: CandleInterval;
  /** Unix seconds. Default: the newest candles. */
  readonly start?: number | undefined;
  /** Unix seconds. Default: now. */
  readonly end?: number | undefined;
  /** Maximum number of candles: with `start` the first, without it the last. */
  readonly limit: number;
  /** Unix seconds. */
  readonly now: number;
}

/** The closed candles that begin from `start` to `end`, oldest first. */
export function candlesOf(tape: Tape, { interval, start, end, limit, now }: CandleRequest): Candle[] {
  const slots = slotsOf(interval);
  const last = Math.min(slots.indexOf(Math.min(end ?? now, now)), slots.indexOf(now) - 1);
  const wanted = start ?? slots.beginOf(last - limit + 1);
  const series = seriesOf(tape, interval, wanted);
  const { firstTime } = series;
  if (firstTime === undefined) return [];
  const first = slots.indexOf(Math.max(wanted, firstTime));
  const begin = slots.beginOf(first);
  const candles: Candle[] = [];
  let close = series.closeBefore(begin);
  for (let index = begin < wanted ? first + 1 : first; index <= last && candles.length < limit; index += 1) {
    const time = slots.beginOf(index);
    const candle = series.between(time, slots.beginOf(index + 1)) ?? (close && stillCandle(time, close));
    if (candle !== undefined) candles.push({ ...candle, time });
    close = candle?.close ?? close;
  }
  return candles;
}

/** The candle that a time (Unix seconds) is in, as far as it was traded; `undefined` without a trade. */
export function candleAt(tape: Tape, interval: CandleInterval, time: number): Candle | undefined {
  const slots = slotsOf(interval);
  const index = slots.indexOf(time);
  const begin = slots.beginOf(index);
  return seriesOf(tape, interval, begin).between(begin, slots.beginOf(index + 1));
}

/** Candles of less than a minute are made of the kept trades from a time on, Unix seconds, and the one before them. */
function seriesOf(tape: Tape, interval: CandleInterval, from: number): CandleSeries {
  const seconds = secondsOf(interval);
  if (seconds >= tape.hours.seconds) return tape.hours;
  if (seconds >= tape.minutes.seconds) return tape.minutes;
  const series = new CandleSeries(seconds);
  const before = tape.trades.findLastIndex(({ at }) => at < from * 1000);
  for (const trade of tape.trades.slice(Math.max(before, 0))) series.add(trade);
  return series;
}

/** The intervals on the time line: the one that a time is in, and its begin, Unix seconds. */
interface Slots {
  readonly indexOf: (time: number) => number;
  readonly beginOf: (index: number) => number;
}

function slotsOf(interval: CandleInterval): Slots {
  if (interval === '1M') return months;
  const seconds = secondsOf(interval);
  const origin = seconds === secondsPerWeek ? firstMonday : 0;
  return {
    indexOf: (time) => Math.floor((time - origin) / seconds),
    beginOf: (index) => index * seconds + origin,
  };
}

/** Since January 1970. */
const months: Slots = {
  indexOf(time) {
    const date = new Date(time * 1000);
    return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  },
  beginOf: (index) => Date.UTC(1970, index) / 1000,
};

function secondsOf(interval: CandleInterval): number {
  const unit = Object.entries(secondsOfUnit).find(([name]) => interval.endsWith(name));
  return unit === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(interval, 10) * unit[1];
}
