// A funding rate that was charged.
import type * as v from 'valibot';
import { decimalText, optionalDecimal, optionalText, record, text, type RecordOf } from './tolerant.js';

const fundingRateFields = {
  /** Time at which the rate was charged, Unix seconds in a string. */
  fundingTime: text,
  /** The rate, as the exchange writes it: its documentation does not say whether in percent. */
  fundingRate: decimalText,
  /** The market, such as `BTC_PERP`. */
  market: optionalText,
  /** Price by which positions were valued, quote currency. */
  settlementPrice: optionalDecimal,
  /** Time at which the rate was computed, before `fundingTime`, Unix seconds in a string. */
  rateCalculatedTime: optionalText,
};

/** A funding rate that was charged. Unknown fields are kept. */
export interface FundingRate extends RecordOf<typeof fundingRateFields> {}

export const fundingRateSchema: v.GenericSchema<unknown, FundingRate> = record(fundingRateFields);
