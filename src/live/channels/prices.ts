// Channels with the prices of a market: of its last trade, its best bid and ask, and statistics of a day.
import * as v from 'valibot';
import { decimalText, integer, number, optionalDecimal, record, type RecordOf } from '../../model/tolerant.js';
import type { Channel } from '../channel.js';
import { itemOf, marketReader, readBy, tuplesReader } from './read.js';

/** The price of the last trade of a market. */
export interface LastPrice {
  /** Price, quote currency. */
  readonly price: string;
}

/**
 * Price of the last trade, when it has changed, at most once a second.
 *
 * @see docs/live.md#channels
 */
export const lastPrice: Channel<LastPrice> = {
  name: 'lastPrice',
  method: 'lastprice',
  read: marketReader((value) => {
    const price = readBy(decimalText, value);
    return price === undefined ? undefined : { price };
  }),
};

/** Best bid and ask of a market. */
export interface BookTicker {
  /** Price of the best buy order, quote currency. Absent when there is no buy order. */
  readonly bid?: string;
  /** Amount at that price, base currency. */
  readonly bidAmount?: string;
  /** Price of the best sell order, quote currency. Absent when there is no sell order. */
  readonly ask?: string;
  /** Amount at that price, base currency. */
  readonly askAmount?: string;
  /** The exchange's number of the book's last change. */
  readonly updateId: number;
  /** Time of that change, Unix seconds with fractions. */
  readonly time: number;
}

const headSchema = v.pipe(v.unknown(), v.tuple([number, v.unknown(), v.string(), integer]));
const levelSchema = v.pipe(v.unknown(), v.tuple([decimalText, decimalText]));

/** The exchange does not say how it sends an empty side: null, an empty text and 0 are no price. */
function isEmptySide(price: unknown): boolean {
  return price === null || price === 0 || (typeof price === 'string' && Number(price) === 0);
}

function readSide(level: readonly unknown[]): readonly [price: string, amount: string] | 'empty' | undefined {
  return isEmptySide(level[0]) ? 'empty' : readBy(levelSchema, level);
}

function readTicker(tuple: readonly unknown[]): BookTicker | undefined {
  // In a shorter tuple, a bid could be an ask.
  const head = tuple.length < 8 ? undefined : readBy(headSchema, tuple.slice(0, 4));
  const bid = readSide(tuple.slice(4, 6));
  const ask = readSide(tuple.slice(6, 8));
  if (head === undefined || bid === undefined || ask === undefined) return undefined;
  const [time, , , updateId] = head;
  return {
    ...(bid === 'empty' ? {} : { bid: bid[0], bidAmount: bid[1] }),
    ...(ask === 'empty' ? {} : { ask: ask[0], askAmount: ask[1] }),
    ...{ updateId, time },
  };
}

/**
 * Best bid and ask, at each change; each of them absent while its side of the book is empty.
 *
 * @see docs/live.md#channels
 */
export const bookTicker: Channel<BookTicker> = {
  name: 'bookTicker',
  method: 'bookTicker',
  // Whether a second market adds to the first or replaces it is unknown: an empty list, all markets, fits both cases.
  params: (markets) => (markets.length === 1 ? markets : []),
  // The exchange repeats the standing top after each subscription. A lower number of a later time counts from the
  // beginning again.
  isOld: ({ updateId, time }, last) => updateId === last.updateId || (updateId < last.updateId && time <= last.time),
  read: tuplesReader((tuple) => itemOf(tuple[2], readTicker(tuple))),
};

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

const readStatistics = marketReader((value): MarketStatistics | undefined => readBy(statisticsSchema, value));

/** The exchange pushes statistics each second: after this silence, they may be wrong. */
const statisticsSilenceMs = 10_000;

/**
 * Prices and volumes of the last 24 hours, each second.
 *
 * @see docs/live.md#channels
 */
export const ticker: Channel<MarketStatistics> = {
  name: 'ticker',
  method: 'market',
  silenceMs: statisticsSilenceMs,
  read: readStatistics,
};

/**
 * Prices and volumes since 00:00 UTC, each second.
 *
 * @see docs/live.md#channels
 */
export const today: Channel<MarketStatistics> = {
  name: 'today',
  method: 'marketToday',
  silenceMs: statisticsSilenceMs,
  read: readStatistics,
};
