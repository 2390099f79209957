// Channels `market` (the last 24 hours) and `marketToday` (since 00:00 UTC): prices and volumes, each second.
import type * as v from 'valibot';
import { decimalText, optionalDecimal, record, type RecordOf } from '../../model/tolerant.js';
import type { Channel } from '../channel.js';
import { marketReader, readBy } from './read.js';

const statisticsFields = {
  /** Price of the last trade, quote currency. */
  last: decimalText,
  /** First price of the period, quote currency. */
  open: optionalDecimal,
  /** Highest price of the period, quote currency. */
  high: optionalDecimal,
  /** Lowest price of the period, quote currency. */
  low: optionalDecimal,
  /** Traded amount, base currency. */
  volume: optionalDecimal,
  /** Traded total (amounts times prices), quote currency. */
  deal: optionalDecimal,
};

/** Prices and volumes of a period. Unknown fields are kept. */
export interface MarketStatistics extends RecordOf<typeof statisticsFields> {}

const statisticsSchema: v.GenericSchema<unknown, MarketStatistics> = record(statisticsFields);

const read = marketReader((value): MarketStatistics | undefined => readBy(statisticsSchema, value));

/** The exchange pushes statistics each second: after this silence, they may be wrong. */
const silenceMs = 10_000;

/**
 * Prices and volumes of the last 24 hours, each second.
 *
 * @see docs/live.md#channels
 */
export const ticker: Channel<MarketStatistics> = {
  name: 'ticker',
  method: 'market',
  silenceMs,
  read,
};

/**
 * Prices and volumes since 00:00 UTC, each second.
 *
 * @see docs/live.md#channels
 */
export const today: Channel<MarketStatistics> = {
  name: 'today',
  method: 'marketToday',
  silenceMs,
  read,
};
