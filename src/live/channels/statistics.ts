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

export const statisticsSchema: v.GenericSchema<unknown, MarketStatistics> = record(statisticsFields);

const read = marketReader((value): MarketStatistics | undefined => readBy(statisticsSchema, value));

/** The exchange pushes statistics each second: after this silence, they may be wrong. */
const silenceMs = 10_000;

/** The last 24 hours. */
export const ticker: Channel<MarketStatistics> = {
  name: 'ticker',
  subscribe: 'market_subscribe',
  unsubscribe: 'market_unsubscribe',
  update: 'market_update',
  keys: 'list',
  silenceMs,
  read,
};

/** Since 00:00 UTC. */
export const today: Channel<MarketStatistics> = {
  name: 'today',
  subscribe: 'marketToday_subscribe',
  unsubscribe: 'marketToday_unsubscribe',
  update: 'marketToday_update',
  keys: 'list',
  silenceMs,
  read,
};
