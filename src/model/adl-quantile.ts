// The rank of positions for automatic deleveraging (ADL).
import type * as v from 'valibot';
import { optionalNumber, record, text, type RecordOf } from './tolerant.js';

const fields = {
  /** The futures market, such as `BTC_PERP`. */
  market: text,
  /** Rank of your long position: 0 is deleveraged last, 4 first. Absent without a long position. */
  long: optionalNumber,
  /** Rank of your short position: 0 is deleveraged last, 4 first. Absent without a short position. */
  short: optionalNumber,
};

/** The rank of your positions in a futures market. Unknown fields are kept. */
export interface AdlQuantile extends RecordOf<typeof fields> {}

export const adlQuantileSchema: v.GenericSchema<unknown, AdlQuantile> = record(fields);
