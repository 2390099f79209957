// What a futures position paid or received at a settlement of the funding rate.
import * as v from 'valibot';
import { isRecord } from './map.js';
import {
  decimalText,
  listOf,
  optionalDecimal,
  optionalNumber,
  optionalText,
  record,
  text,
  type RecordOf,
} from './tolerant.js';

const paymentFields = {
  /** The market, such as `BTC_PERP`. */
  market: text,
  /** Time of the payment, Unix seconds in a **string**. */
  fundingTime: text,
  /** What was added to the balance: negative when you paid. */
  fundingAmount: decimalText,
  /** The rate, as the exchange writes it: its documentation does not say whether in percent. */
  fundingRate: optionalDecimal,
  /** Amount of the position at that time, base currency. Negative for a short position. */
  positionAmount: optionalDecimal,
  /** Price by which the position was valued, quote currency. */
  settlementPrice: optionalDecimal,
  /** Time at which the rate was computed, before `fundingTime`, Unix seconds in a **string**. */
  rateCalculatedTime: optionalText,
};

/** What a position paid or received. Unknown fields are kept. */
export interface FundingPayment extends RecordOf<typeof paymentFields> {}

const pageFields = {
  /** Number of payments that were skipped. */
  offset: optionalNumber,
  /** Maximum number of payments of the page. */
  limit: optionalNumber,
};

/** A page of the funding payments. Unknown fields are kept. */
export interface FundingPaymentPage extends RecordOf<typeof pageFields> {
  /** The payments of the page, newest first, without those that cannot be read: see {@link unreadableIn}. */
  records: FundingPayment[];
}

/** A page of funding payments. A bare list is a page, too, and null is an empty list. */
export const fundingPaymentPageSchema: v.GenericSchema<unknown, FundingPaymentPage> = v.pipe(
  v.unknown(),
  v.transform((page) => {
    if (Array.isArray(page)) return { records: page as unknown[] };
    return isRecord(page) && page['records'] === null ? { ...page, records: [] } : page;
  }),
  record({ ...pageFields, records: listOf<v.GenericSchema<unknown, FundingPayment>>(record(paymentFields)) }),
);
