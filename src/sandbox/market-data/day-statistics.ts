// The statistics of a market's last 24 hours: of 1440 minutes, the current one included.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { CandleSeries } from './candle-series.js';

const minutesPerDay = 1440;
const percentPlaces = 2;

export interface DayStatistics {
  /** Price of the last trade, however old it is. */
  readonly last: Decimal;
  /** Without a trade in 24 hours, `open`, `high` and `low` are the last price. */
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  /** Volume in the base currency. */
  readonly stock: Decimal;
  /** Volume in the quote currency. */
  readonly money: Decimal;
  /** The last price against that of the first trade of the 24 hours, percent. */
  readonly change: Decimal;
}

/** The statistics of the 24 hours up to and including this minute, counted from 1970. */
export function dayStatistics(minutes: CandleSeries, minute: number, last: Decimal): DayStatistics {
  const day = minutes.between((minute - minutesPerDay + 1) * 60, (minute + 1) * 60);
  const none = decimal(0);
  if (day === undefined) return { last, open: last, high: last, low: last, stock: none, money: none, change: none };
  const { open, high, low, stock, money } = day;
  const change = last.minus(open).dividedBy(open).shiftedBy(2).decimalPlaces(percentPlaces);
  return { last, open, high, low, stock, money, change };
}
