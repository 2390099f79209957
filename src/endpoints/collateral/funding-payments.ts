import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRequestedMarket } from '../../model/market.js';
import { isRequestedPage } from '../../model/paging.js';
import { marketName, unixSeconds, type ParamsOf } from '../fields.js';
import { pageLimit, offsetParam, type OffsetParam, inOrder } from '../list-params.js';
import { isRecord } from '../../model/map.js';
import {
  decimalText,
  listOf,
  optionalDecimal,
  optionalNumber,
  optionalText,
  record,
  text,
  type RecordOf,
} from '../../model/tolerant.js';

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
const fundingPaymentPageSchema: v.GenericSchema<unknown, FundingPaymentPage> = v.pipe(
  v.unknown(),
  v.transform((page) => {
    if (Array.isArray(page)) return { records: page as unknown[] };
    return isRecord(page) && page['records'] === null ? { ...page, records: [] } : page;
  }),
  record({ ...pageFields, records: listOf<FundingPayment>(record(paymentFields)) }),
);

const params = {
  /**
   * Only payments of this futures market, such as `BTC_PERP`. The exchange once required it: name the market where
   * `validation` says so.
   */
  market: v.exactOptional(marketName),
  /** Only payments from this time on, Unix seconds. */
  startDate: v.exactOptional(unixSeconds),
  /** Only payments up to this time, Unix seconds. Not before `startDate`. */
  endDate: v.exactOptional(unixSeconds),
  /**
   * Maximum number of payments, 1 to 100.
   *
   * @default 100
   */
  limit: pageLimit,
};

const request = v.pipe(v.strictObject({ ...params, ...offsetParam }), inOrder());

/** Parameters of {@link fundingPayments}. */
export interface FundingPaymentsParams extends OffsetParam, ParamsOf<typeof params> {}

/**
 * Lists a page of the funding that your futures positions paid and received, newest first. Parameters have times in Unix
 * seconds; times of the response are **strings** of Unix seconds.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const logFunding = (exchange: Exchange) =>
 *   exchange.collateral.fundingPayments({ market: 'BTC_PERP', limit: 3 }).subscribe(({ records }) => {
 *     for (const { fundingTime, fundingAmount } of records) console.log(new Date(Number(fundingTime) * 1000), fundingAmount);
 *   });
 * ```
 */
export const fundingPayments: Endpoint<FundingPaymentsParams, FundingPaymentPage> = defineEndpoint({
  name: 'collateral.fundingPayments',
  path: '/api/v4/collateral-account/funding-history',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  page: { defaultLimit: 100 },
  request,
  response: fundingPaymentPageSchema,
  matchesRequest: (requested, page) =>
    isRequestedPage(requested, page) && page.records.every(({ market }) => isRequestedMarket(requested, market)),
});
