// The order book of a market. Its levels are one value: a book without an unreadable level would look like a true one.
import * as v from 'valibot';
import { isAboveZero } from './decimal.js';
import * as t from './tolerant.js';

/** A price, quote currency, and the amount of the orders at it, base currency: decimal strings. */
export type PriceLevel = readonly [price: string, amount: string];

const aboveZero = v.pipe(t.decimalText, v.check(isAboveZero, 'is not above 0'));

const levelSchema: v.GenericSchema<unknown, PriceLevel> = v.pipe(v.unknown(), v.tuple([aboveZero, aboveZero]));

/** Compares doubles: they never put two decimals in the wrong order. */
function isSorted(levels: readonly PriceLevel[], direction: 1 | -1): boolean {
  return levels.every(([price], index) => {
    const [before = price] = levels[index - 1] ?? [];
    return Math.sign(Number(price) - Number(before)) !== -direction;
  });
}

const orderBookFields = {
  /** The market, `BASE_QUOTE`. */
  ticker_id: t.ifPresent(t.text),
  /** Time of the response, Unix seconds: not the time of the last change. */
  timestamp: t.optionalNumber,
  /** Sell orders by price, lowest first: `[price, amount]`. */
  asks: v.pipe(
    v.array(levelSchema),
    v.check((levels) => isSorted(levels, 1), 'is not sorted by price'),
  ),
  /** Buy orders by price, highest first: `[price, amount]`. */
  bids: v.pipe(
    v.array(levelSchema),
    v.check((levels) => isSorted(levels, -1), 'is not sorted by price'),
  ),
};

/** Price levels of a market. Unknown fields are kept. */
export interface OrderBook extends t.RecordOf<typeof orderBookFields> {}

/** A book whose best bid is above its best ask is mixed up from two. */
function isCrossed({ asks: [ask], bids: [bid] }: Pick<OrderBook, 'asks' | 'bids'>): boolean {
  return ask !== undefined && bid !== undefined && Number(bid[0]) > Number(ask[0]);
}

export const orderBookSchema: v.GenericSchema<unknown, OrderBook> = v.pipe(
  t.record(orderBookFields),
  v.check((book) => !isCrossed(book), 'is crossed: its best bid is above its best ask'),
);
