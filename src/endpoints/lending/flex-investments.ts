import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isRequestedPage } from '../agrees-on.js';
import { assetTicker, oneOf, text, type ParamsOf } from '../fields.js';
import { pageParams, type PageParams } from '../list-params.js';
import { mainAccountRateLimit } from '../rate-limits.js';

const planFields = {
  /** UUID of the plan. */
  id: t.text,
  /** The asset to invest. */
  ticker: t.optionalText,
  /** Minimum investment, in the asset. */
  minInvestment: t.optionalDecimal,
  /** Maximum investment, in the asset. */
  maxInvestment: t.optionalDecimal,
  /** Highest rate, as the exchange writes it: its documentation does not say whether in percent. */
  maxRate: t.optionalDecimal,
};

/** A plan without a fixed duration. Unknown fields are kept. */
export interface FlexPlan extends t.RecordOf<typeof planFields> {}

const planParams = {
  /** Only plans for this asset. */
  ticker: v.exactOptional(assetTicker),
};

/** Parameters of {@link flexPlans}. */
export interface FlexPlansParams extends PageParams, ParamsOf<typeof planParams> {}

/**
 * Lists the plans without a fixed duration, 100 without `limit`. Interest is counted each hour, and paid each day.
 *
 * @example
 * ```ts
 * exchange.lending.flexPlans({ ticker: 'USDT' }).subscribe((plans) => console.log(plans.map(({ maxRate }) => maxRate)));
 * ```
 */
export const flexPlans: Endpoint<FlexPlansParams, FlexPlan[]> = defineEndpoint({
  name: 'lending.flexPlans',
  path: '/api/v4/main-account/smart-flex/plans',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  page: { defaultLimit: 100 },
  request: v.strictObject({ ...planParams, ...pageParams }),
  response: t.listOf<FlexPlan>(t.record(planFields)),
});

const investmentFields = {
  /** UUID of the investment. */
  id: t.text,
  /** Its plan. */
  planId: t.optionalText,
  /** The asset. */
  currency: t.optionalText,
  /** Amount, in the asset. */
  invested: t.decimalText,
  /** Whether earnings are invested again. */
  withAutoReinvest: t.optionalFlag,
  /** `1`: active. `0`: closed. */
  status: t.optionalNumber,
  /** When it was made, Unix seconds. */
  createdAt: t.optionalNumber,
  /** When it was changed, Unix seconds. */
  updatedAt: t.optionalNumber,
};

/** An investment without a fixed duration. Unknown fields are kept. */
export interface FlexInvestment extends t.RecordOf<typeof investmentFields> {}

/** A page of investments without a fixed duration. */
export interface FlexInvestmentPage extends PageOf<FlexInvestment> {}

const investmentsParams = {
  /** Only investments of this asset. */
  ticker: v.exactOptional(assetTicker),
  /** Only those of this plan. */
  plan: v.exactOptional(text),
  /** Only this investment. */
  investment: v.exactOptional(text),
  /** `1`: only active ones. `0`: only closed ones. */
  investmentStatus: v.exactOptional(oneOf([0, 1])),
};

/** Parameters of {@link flexInvestments}. */
export interface FlexInvestmentsParams extends PageParams, ParamsOf<typeof investmentsParams> {}

/**
 * Lists a page of the investments without a fixed duration, 100 without `limit`.
 *
 * @example
 * ```ts
 * exchange.lending.flexInvestments({ investmentStatus: 1 }).subscribe(({ data }) => console.log(data.length));
 * ```
 */
export const flexInvestments: Endpoint<FlexInvestmentsParams, FlexInvestmentPage> = defineEndpoint({
  name: 'lending.flexInvestments',
  path: '/api/v4/main-account/smart-flex/investments',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  page: { defaultLimit: 100 },
  request: v.strictObject({ ...investmentsParams, ...pageParams }),
  response: pageOf<FlexInvestment>(t.record(investmentFields)),
  matchesRequest: isRequestedPage,
});
