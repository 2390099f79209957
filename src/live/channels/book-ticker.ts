// Channel `bookTicker`: the best bid and ask of a market, at each change.
import * as v from 'valibot';
import { decimalText, integer, number } from '../../model/tolerant.js';
import { defineChannel } from '../define-channel.js';
import { readBy, tuplesReader } from './read.js';

/** Best bid and ask of a market. */
export interface BookTicker {
  /** Price of the best buy order, quote currency. */
  readonly bid: string;
  /** Amount at that price, base currency. */
  readonly bidAmount: string;
  /** Price of the best sell order, quote currency. */
  readonly ask: string;
  /** Amount at that price, base currency. */
  readonly askAmount: string;
  /** The exchange's number of the book's last change. */
  readonly updateId: number;
  /** Time of that change, Unix seconds with fractions. */
  readonly time: number;
}

const tupleSchema = v.pipe(
  v.unknown(),
  v.tuple([number, number, v.string(), integer, decimalText, decimalText, decimalText, decimalText]),
);

export const bookTicker = defineChannel<BookTicker>({
  name: 'bookTicker',
  subscribe: 'bookTicker_subscribe',
  unsubscribe: 'bookTicker_unsubscribe',
  update: 'bookTicker_update',
  keys: 'list',
  // Whether a second market adds to the first or replaces it is not known: an empty list, all markets, is right in both
  // cases.
  params: (markets) => (markets.length === 1 ? markets : []),
  read: tuplesReader((tuple) => {
    const read = readBy(tupleSchema, tuple);
    if (read === undefined) return undefined;
    const [time, , key, updateId, bid, bidAmount, ask, askAmount] = read;
    return { key, item: { bid, bidAmount, ask, askAmount, updateId, time } };
  }),
});
