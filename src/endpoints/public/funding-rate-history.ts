import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { marketErrorCodes } from '../error-codes.js';
import { isRequested } from '../agrees-on.js';
import { boundedInteger, marketName, type ParamsOf, rule, unixSeconds } from '../fields.js';
import { publicRateLimits } from '../rate-limits.js';

const fundingRateFields = {
  /** Time at which the rate was charged, Unix seconds in a string. */
  fundingTime: t.text,
  /** The rate, as the exchange writes it: its documentation does not say whether in percent. */
  fundingRate: t.decimalText,
  /** The market, such as `BTC_PERP`. */
  market: t.optionalText,
  /** Price by which positions were valued, quote currency. */
  settlementPrice: t.optionalDecimal,
  /** Time at which the rate was computed, before `fundingTime`, Unix seconds in a string. */
  rateCalculatedTime: t.optionalText,
};

/** A funding rate that was charged. Unknown fields are kept. */
export interface FundingRate extends t.RecordOf<typeof fundingRateFields> {}

const params = {
  /** The futures market, such as `BTC_PERP`. */
  market: marketName,
  /** Only rates from this time on, Unix seconds. */
  startDate: v.exactOptional(unixSeconds),
  /** Only rates up to this time, Unix seconds. After `startDate`. */
  endDate: v.exactOptional(unixSeconds),
  /**
   * Maximum number of rates, 1 to 100.
   *
   * @default 100
   */
  limit: v.exactOptional(boundedInteger(1, 100)),
  /**
   * Number of rates to skip, 0 to 1000000.
   *
   * @default 0
   */
  offset: v.exactOptional(boundedInteger(0, 1_000_000)),
};

const request = v.pipe(
  v.strictObject(params),
  rule(
    'endDate',
    ({ startDate, endDate }) => startDate === undefined || endDate === undefined || endDate > startDate,
    'must be after startDate',
  ),
);

/** Parameters of {@link fundingRateHistory}. */
export interface FundingRateHistoryParams extends ParamsOf<typeof params> {}

/**
 * Lists the funding rates that a futures market charged, newest first. Parameters have times in Unix seconds; times of
 * the response are strings of Unix seconds.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const logRates = (exchange: Exchange) =>
 *   exchange.public.fundingRateHistory({ market: 'BTC_PERP', limit: 3 }).subscribe((rates) => {
 *     for (const { fundingTime, fundingRate } of rates) console.log(new Date(Number(fundingTime) * 1000), fundingRate);
 *   });
 * ```
 */
export const fundingRateHistory: Endpoint<FundingRateHistoryParams, FundingRate[]> = defineEndpoint({
  name: 'public.fundingRateHistory',
  method: 'GET',
  path: '/api/v4/public/funding-history/{market}',
  rateLimit: publicRateLimits,
  safety: 'read',
  request,
  response: t.listOf(t.record(fundingRateFields)),
  matchesRequest: (requested, rates) => rates.every(({ market }) => isRequested(requested['market'], market)),
  errorCodes: marketErrorCodes,
});
