import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { fundingPaymentPageSchema, type FundingPaymentPage } from '../../model/funding-payment.js';
import { isRequestedMarket } from '../../model/market.js';
import { isRequestedPage, pageParams } from '../../model/paging.js';
import { marketName, unixSeconds, type ParamsOf } from '../fields.js';
import { isPeriod, periodRule } from '../orders/deal-requests.js';

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
  limit: pageParams.limit,
  /**
   * Number of payments to skip, 0 to 10000.
   *
   * @default 0
   */
  offset: pageParams.offset,
};

const request = v.pipe(
  v.strictObject(params),
  v.forward(v.partialCheck([['startDate'], ['endDate']], isPeriod, periodRule), ['endDate']),
);

/** Parameters of {@link fundingPayments}. */
export interface FundingPaymentsParams extends ParamsOf<typeof params> {}

export type { FundingPaymentPage } from '../../model/funding-payment.js';

/**
 * Lists a page of the funding that your futures positions paid and received, newest first. Parameters have times in Unix
 * seconds; times of the response are **strings** of Unix seconds.
 *
 * `POST /api/v4/collateral-account/funding-history` · signed · 12000 requests / 10 s · a read, retried after a
 * transient failure
 *
 * @throws {@link ApiError} with `reason` `validation` (30), `market` (31)
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/collateral.md#collateralfundingpayments
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
  request,
  response: fundingPaymentPageSchema,
  matchesRequest: (requested, page) =>
    isRequestedPage(requested, page) && page.records.every(({ market }) => isRequestedMarket(requested, market)),
});
