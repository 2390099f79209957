// A trade of a market, as the live connection pushes it.
import type * as v from 'valibot';
import { decimalText, integer, number, optionalEnum, optionalFlag, record, type RecordOf } from './tolerant.js';

const liveTradeFields = {
  /** The exchange's number of the trade. */
  id: integer,
  /** Time of the trade, Unix seconds with fractions. */
  time: number,
  /** Price, quote currency. */
  price: decimalText,
  /** Amount, base currency. */
  amount: decimalText,
  /** Side of the taker. */
  type: optionalEnum(['buy', 'sell']),
  /** Whether the maker was a retail price improvement order. Absent in older messages. */
  rpi: optionalFlag,
};

/** A public trade, as the channel `trades` pushes it. Unknown fields are kept. */
export interface LiveTrade extends RecordOf<typeof liveTradeFields> {}

export const liveTradeSchema: v.GenericSchema<unknown, LiveTrade> = record(liveTradeFields);
