import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRecord } from '../../model/map.js';
import { recordsPageOf, type RecordsPage } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isRequested, isRequestedPage } from '../agrees-on.js';
import { marketName, type ParamsOf } from '../fields.js';
import { inOrder, pageParams, periodParams, type PageParams, type PeriodParams } from '../list-params.js';

const paymentFields = {
  /** The market, such as `BTC_PERP`. */
  market: t.text,
  /** Time of the payment, Unix seconds in a **string**. */
  fundingTime: t.text,
  /** What was added to the balance: negative when you paid. */
  fundingAmount: t.decimalText,
  /** The rate, as the exchange writes it: its documentation does not say whether in percent. */
  fundingRate: t.optionalDecimal,
  /** Amount of the position at that time, base currency. Negative for a short position. */
  positionAmount: t.optionalDecimal,
  /** Price by which the position was valued, quote currency. */
  settlementPrice: t.optionalDecimal,
  /** Time at which the rate was computed, before `fundingTime`, Unix seconds in a **string**. */
  rateCalculatedTime: t.optionalText,
};

/** What a position paid or received. Unknown fields are kept. */
export interface FundingPayment extends t.RecordOf<typeof paymentFields> {}

/** A page of the funding payments, newest first. */
export interface FundingPaymentPage extends RecordsPage<FundingPayment> {}

const params = {
  /**
   * Only payments of this futures market, such as `BTC_PERP`. The exchange once required it: name the market where
   * `validation` says so.
   */
  market: v.exactOptional(marketName),
};

const request = v.pipe(v.strictObject({ ...params, ...periodParams, ...pageParams }), inOrder());

/** Parameters of {@link fundingPayments}. */
export interface FundingPaymentsParams extends PageParams, PeriodParams, ParamsOf<typeof params> {}

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
  response: v.pipe(
    v.unknown(),
    // No payments may be null.
    v.transform((page) => (isRecord(page) && page['records'] === null ? { ...page, records: [] } : page)),
    recordsPageOf<FundingPayment>(t.record(paymentFields)),
  ),
  matchesRequest: (requested, page) =>
    isRequestedPage(requested, page) && page.records.every(({ market }) => isRequested(requested['market'], market)),
});
