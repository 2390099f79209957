// The statistics of a market: of its last 24 hours (1440 minutes, the current one included), or of another time.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { CandleSeries } from './candle-series.js';
import type { Candle } from './trade.js';

const minutesPerDay = 1440;
const percentPlaces = 2;

/** The statistics of the trades from a time until now. */
export interface Statistics {
  /** Price of the last trade, however old it is. */
  readonly last: Decimal;
  /** Without a trade in this time, `open`, `high` and `low` are the last price. */
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  /** Volume in the base currency. */
  readonly stock: Decimal;
  /** Volume in the quote currency. */
  readonly money: Decimal;
}

export interface DayStatistics extends Statistics {
  /** The last price against that of the first trade of the 24 hours, percent. */
  readonly change: Decimal;
}

/** The statistics of the 24 hours up to and including this minute, counted from 1970. */
export function dayStatistics(minutes: CandleSeries, minute: number, last: Decimal): DayStatistics {
  const statistics = statisticsOf(minutes.between((minute - minutesPerDay + 1) * 60, (minute + 1) * 60), last);
  const { open } = statistics;
  return { ...statistics, change: last.minus(open).dividedBy(open).shiftedBy(2).decimalPlaces(percentPlaces) };
}

/** The statistics of the trades of a candle. */
export function statisticsOf(candle: Candle | undefined, last: Decimal): Statistics {
  const none = decimal(0);
  if (candle === undefined) return { last, open: last, high: last, low: last, stock: none, money: none };
  const { open, high, low, stock, money } = candle;
  return { last, open, high, low, stock, money };
}
