// A trade of a market, as everybody sees it.
import type * as v from 'valibot';
import {
  decimalText,
  integer,
  number,
  optionalDecimal,
  optionalEnum,
  optionalFlag,
  record,
  type RecordOf,
} from './tolerant.js';

const tradeFields = {
  /** The exchange's number of the trade. */
  tradeID: integer,
  /** Price, quote currency. */
  price: decimalText,
  /** Amount, **base** currency: the exchange's name says the opposite. */
  quote_volume: decimalText,
  /** Total (amount times price), **quote** currency: the exchange's name says the opposite. */
  base_volume: optionalDecimal,
  /** Time of the trade, Unix seconds. */
  trade_timestamp: number,
  /** Side of the taker. */
  type: optionalEnum(['buy', 'sell']),
  /** Whether the maker was a retail price improvement order. Absent in older responses. */
  rpi: optionalFlag,
};

/** A public trade of a market. Unknown fields are kept. */
export interface Trade extends RecordOf<typeof tradeFields> {}

export const tradeSchema: v.GenericSchema<unknown, Trade> = record(tradeFields);
