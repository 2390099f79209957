// A candle. The exchange sends a list without names, in the order time, open, close, high, low, and two volumes.
import * as v from 'valibot';
import * as t from './tolerant.js';

/** Prices and volumes of an interval. */
export interface Candle {
  /** Start of the interval, Unix seconds. */
  time: number;
  /** First price, quote currency. */
  open: string;
  /** Highest price, quote currency. */
  high: string;
  /** Lowest price, quote currency. */
  low: string;
  /** Last price, quote currency. */
  close: string;
  /** Traded amount, base currency. */
  volume?: string;
  /** Traded total (amounts times prices), quote currency. */
  money_volume?: string;
}

/** The intervals of candles. */
export const candleIntervals = [
  '1s',
  '10s',
  '30s',
  '1m',
  '3m',
  '5m',
  '15m',
  '30m',
  '1h',
  '2h',
  '4h',
  '6h',
  '8h',
  '12h',
  '1d',
  '3d',
  '1w',
  '1M',
] as const;

/** The interval of a candle; `1M` is a month. */
export type CandleInterval = (typeof candleIntervals)[number];

/** The length of each interval, seconds; 30 days for a month. Live subscriptions name an interval by it. */
export const candleSeconds: Readonly<Record<CandleInterval, number>> = {
  ...{ '1s': 1, '10s': 10, '30s': 30 },
  ...{ '1m': 60, '3m': 180, '5m': 300, '15m': 900, '30m': 1800 },
  ...{ '1h': 3600, '2h': 7200, '4h': 14_400, '6h': 21_600, '8h': 28_800, '12h': 43_200 },
  ...{ '1d': 86_400, '3d': 259_200, '1w': 604_800, '1M': 2_592_000 },
};

/** The year 5138: milliseconds are more. */
const maxSeconds = 99_999_999_999;

export const candleSchema: v.GenericSchema<unknown, Candle> = v.pipe(
  v.unknown(),
  v.tuple([
    v.pipe(t.integer, v.maxValue(maxSeconds)),
    ...([t.decimalText, t.decimalText, t.decimalText, t.decimalText] as const),
    ...([t.optionalDecimal, t.optionalDecimal] as const),
  ]),
  // Prices in another order would pass for a candle otherwise. Doubles never put two decimals in the wrong order.
  v.check(
    ([, open, close, high, low]) =>
      [open, close].every((price) => Number(low) <= Number(price) && Number(price) <= Number(high)),
    'has a price outside its lowest and highest',
  ),
  v.transform(([time, open, close, high, low, volume, money_volume]) => ({
    ...{ time, open, high, low, close },
    ...(volume === undefined ? {} : { volume }),
    ...(money_volume === undefined ? {} : { money_volume }),
  })),
);
