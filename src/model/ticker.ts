// The ticker of a market: its last price and the last 24 hours.
import type * as v from 'valibot';
import { decimalText, optionalDecimal, optionalFlag, optionalNumber, record, type RecordOf } from './tolerant.js';

const tickerFields = {
  /** Price of the last trade, quote currency. */
  last_price: decimalText,
  /** Traded in the last 24 h, base currency. */
  base_volume: optionalDecimal,
  /** Traded in the last 24 h, quote currency. */
  quote_volume: optionalDecimal,
  /** Change of the price over the last 24 h, percent. */
  change: optionalDecimal,
  /** Whether trading is suspended. */
  isFrozen: optionalFlag,
  /** CoinMarketCap's number of the base currency; 0 when it is unknown. */
  base_id: optionalNumber,
  /** CoinMarketCap's number of the quote currency; 0 when it is unknown. */
  quote_id: optionalNumber,
};

/** Last price and 24-hour activity of a market. Unknown fields are kept. */
export interface Ticker extends RecordOf<typeof tickerFields> {}

export const tickerSchema: v.GenericSchema<unknown, Ticker> = record(tickerFields);
