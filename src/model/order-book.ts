// The order book of a market.
import * as v from 'valibot';
import { decimalText, listOf, optionalNumber, optionalText, record, type RecordOf } from './tolerant.js';

/** A price, and the amount of the orders at it, base currency. */
export type PriceLevel = [price: string, amount: string];

const levelSchema: v.GenericSchema<unknown, PriceLevel> = v.pipe(v.unknown(), v.tuple([decimalText, decimalText]));

const orderBookFields = {
  /** The market, `BASE_QUOTE`. */
  ticker_id: optionalText,
  /** Time of the response, Unix seconds: not the time of the last change. */
  timestamp: optionalNumber,
  /** Sell orders by price, lowest first: `[price, amount]`. */
  asks: listOf(levelSchema),
  /** Buy orders by price, highest first: `[price, amount]`. */
  bids: listOf(levelSchema),
};

/** Price levels of a market. Unknown fields are kept. */
export interface OrderBook extends RecordOf<typeof orderBookFields> {}

export const orderBookSchema: v.GenericSchema<unknown, OrderBook> = record(orderBookFields);
