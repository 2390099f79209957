// Candles of any published interval: closed ones, without gaps. An interval without a trade has the price of the trade
// before it, and no volume.
import { decimal, type Decimal } from '../../model/decimal.js';
import { CandleSeries } from './candle-series.js';
import type { Candle } from './trade.js';
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
  const last = Math.min(end ?? now, slots.before(now, 1));
  const wanted = start ?? slots.before(last, limit - 1);
  const series = seriesOf(tape, interval, wanted);
  const { firstTime } = series;
  if (firstTime === undefined) return [];
  const begin = slots.beginOf(Math.max(wanted, firstTime));
  const candles: Candle[] = [];
  let close = series.closeBefore(begin);
  for (let time = begin < wanted ? slots.after(begin) : begin; time <= last && candles.length < limit;) {
    const next = slots.after(time);
    const candle = series.between(time, next) ?? (close === undefined ? undefined : still(time, close));
    if (candle !== undefined) candles.push({ ...candle, time });
    close = candle?.close ?? close;
    time = next;
  }
  return candles;
}

/** The candle that a time (Unix seconds) is in, as far as it was traded; `undefined` without a trade. */
export function candleAt(tape: Tape, interval: CandleInterval, time: number): Candle | undefined {
  const slots = slotsOf(interval);
  const begin = slots.beginOf(time);
  return seriesOf(tape, interval, begin).between(begin, slots.after(begin));
}

function still(time: number, price: Decimal): Candle {
  const none = decimal(0);
  return { time, open: price, close: price, high: price, low: price, stock: none, money: none };
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

/** The intervals on the time line, in Unix seconds. */
interface Slots {
  readonly beginOf: (time: number) => number;
  readonly after: (begin: number) => number;
  /** The begin of the interval `count` intervals before the one that a time is in. */
  readonly before: (time: number, count: number) => number;
}

function slotsOf(interval: CandleInterval): Slots {
  if (interval === '1M') return months;
  const seconds = secondsOf(interval);
  const origin = seconds === secondsPerWeek ? firstMonday : 0;
  const beginOf = (time: number) => Math.floor((time - origin) / seconds) * seconds + origin;
  return {
    beginOf,
    after: (begin) => begin + seconds,
    before: (time, count) => beginOf(time) - count * seconds,
  };
}

const months: Slots = {
  beginOf: (time) => monthOf(time, 0),
  after: (begin) => monthOf(begin, 1),
  before: (time, count) => monthOf(time, -count),
};

function monthOf(time: number, offset: number): number {
  const date = new Date(time * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset) / 1000;
}

function secondsOf(interval: CandleInterval): number {
  const unit = Object.entries(secondsOfUnit).find(([name]) => interval.endsWith(name));
  return unit === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(interval, 10) * unit[1];
}
