import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint } from '../../endpoint/index.js';
import { recordsPageOf, type RecordsPage } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isAmountOf, agreesOn, isRequestedPage } from '../agrees-on.js';
import { emptyResponse } from '../responses.js';
import { assetTicker, oneOf, positiveDecimal, text, type ParamsOf } from '../fields.js';
import { pageParams, type PageParams } from '../list-params.js';
import { mainAccountRateLimit } from '../rate-limits.js';
import { investmentErrorCodes } from './error-codes.js';

const planFields = {
  /** UUID of the plan. */
  id: t.text,
  /** The asset to invest. */
  ticker: t.optionalText,
  /** `1`: active. `2`: sold out. 3: inactive. 4: paused. */
  status: t.optionalNumber,
  /** Interest of the whole duration, percent. */
  percent: t.optionalDecimal,
  /** Duration, **minutes**. */
  duration: t.optionalNumber,
  /** The asset in which interest is paid. */
  interestTicker: t.optionalText,
  /** Divides the interest where it is paid in another asset. */
  interestRatio: t.optionalDecimal,
  /** Minimum investment, in the asset. */
  minInvestment: t.optionalDecimal,
  /** Maximum investment, in the asset. */
  maxInvestment: t.optionalDecimal,
  /** Maximum that can be invested now, in the asset. */
  maxPossibleInvestment: t.optionalDecimal,
};

/** A plan of fixed duration. Unknown fields are kept. */
export interface FixedPlan extends t.RecordOf<typeof planFields> {}

const planSchema: v.GenericSchema<unknown, FixedPlan> = t.record(planFields);

const planParams = {
  /** Only plans for this asset. */
  ticker: v.exactOptional(assetTicker),
};

/** Parameters of {@link fixedPlans}. */
export interface FixedPlansParams extends ParamsOf<typeof planParams> {}

/**
 * Lists the plans of fixed duration. Lending is for partners of the exchange: other accounts are refused.
 *
 * @example
 * ```ts
 * exchange.lending.fixedPlans({ ticker: 'USDT' }).subscribe((plans) => console.log(plans.map(({ percent }) => percent)));
 * ```
 */
export const fixedPlans: Endpoint<FixedPlansParams, FixedPlan[]> = defineEndpoint({
  name: 'lending.fixedPlans',
  path: '/api/v4/main-account/smart/plans',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  request: v.strictObject(planParams),
  response: t.listOf(planSchema),
});

const investmentFields = {
  /** UUID of the investment. */
  id: t.text,
  /** Its plan. */
  plan: t.optional(planSchema),
  /** `1`: active. `2`: closed. */
  status: t.optionalNumber,
  /** When it was made, Unix seconds. */
  created: t.optionalNumber,
  /** When it was changed, Unix seconds. */
  updated: t.optionalNumber,
  /** When interest is paid, Unix seconds. */
  paymentTime: t.optionalNumber,
  /** Amount, in the asset of the plan. */
  amount: t.decimalText,
  /** Interest that was paid. */
  interestPaid: t.optionalDecimal,
};

/** An investment of fixed duration. Unknown fields are kept. */
export interface FixedInvestment extends t.RecordOf<typeof investmentFields> {}

/** A page of investments of fixed duration. */
export interface FixedInvestmentPage extends RecordsPage<FixedInvestment> {}

const investmentsParams = {
  /** Only this investment. */
  id: v.exactOptional(text),
  /** Only investments of this asset. */
  ticker: v.exactOptional(assetTicker),
  /** `1`: only active ones. `2`: only closed ones. */
  status: v.exactOptional(oneOf([1, 2])),
};

/** Parameters of {@link fixedInvestments}. */
export interface FixedInvestmentsParams extends PageParams, ParamsOf<typeof investmentsParams> {}

/**
 * Lists a page of the investments of fixed duration, 100 without `limit`.
 *
 * @example
 * ```ts
 * exchange.lending.fixedInvestments({ status: 1 }).subscribe(({ records }) => console.log(records.length));
 * ```
 */
export const fixedInvestments: Endpoint<FixedInvestmentsParams, FixedInvestmentPage> = defineEndpoint({
  name: 'lending.fixedInvestments',
  path: '/api/v4/main-account/smart/investments',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  page: { defaultLimit: 100 },
  request: v.strictObject({ ...investmentsParams, ...pageParams }),
  response: recordsPageOf<FixedInvestment>(t.record(investmentFields)),
  matchesRequest: isRequestedPage,
});

const paymentFields = {
  /** The plan. */
  planId: t.optionalText,
  /** The investment. */
  investmentId: t.optionalText,
  /** Amount, in `ticker`. */
  amount: t.decimalText,
  /** The asset of the interest. */
  ticker: t.optionalText,
  /** When it was paid, Unix seconds. */
  timestamp: t.optionalNumber,
};

/** Interest that was paid. Unknown fields are kept. */
export interface InterestPayment extends t.RecordOf<typeof paymentFields> {}

/** A page of payments of interest. */
export interface InterestPaymentPage extends RecordsPage<InterestPayment> {}

const paymentsParams = {
  /** Only payments of this plan. */
  planId: v.exactOptional(text),
  /** Only payments in this asset. */
  ticker: v.exactOptional(assetTicker),
};

/** Parameters of {@link fixedInterestPayments}. */
export interface FixedInterestPaymentsParams extends PageParams, ParamsOf<typeof paymentsParams> {}

/**
 * Lists a page of the interest that investments of fixed duration paid, 100 without `limit`.
 *
 * @example
 * ```ts
 * exchange.lending.fixedInterestPayments({ ticker: 'USDT' }).subscribe(({ records }) => console.log(records.length));
 * ```
 */
export const fixedInterestPayments: Endpoint<FixedInterestPaymentsParams, InterestPaymentPage> = defineEndpoint({
  name: 'lending.fixedInterestPayments',
  path: '/api/v4/main-account/smart/interest-payment-history',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  page: { defaultLimit: 100 },
  request: v.strictObject({ ...paymentsParams, ...pageParams }),
  response: recordsPageOf<InterestPayment>(t.record(paymentFields)),
  matchesRequest: (requested, page) =>
    isRequestedPage(requested, page) && page.records.every((one) => agreesOn('planId', 'ticker')(requested, one)),
});

const investParams = {
  /** `id` of a plan. */
  planId: text,
  /** Amount, in the asset of the plan. */
  amount: positiveDecimal,
};

/** Parameters of {@link investFixed}. */
export interface InvestFixedParams extends ParamsOf<typeof investParams> {}

const idFields = {
  /** UUID of the investment. */
  id: t.text,
};

/** The investment that was made. Unknown fields are kept. */
export interface MadeInvestment extends t.RecordOf<typeof idFields> {}

/**
 * Invests an amount of the main balance for a fixed duration. After a lost response it is looked up in
 * {@link fixedInvestments}, by plan and amount.
 *
 * @example
 * ```ts
 * exchange.lending
 *   .investFixed({ planId: '7b4a1c0e-6f0e-4f0b-9d1e-000000000001', amount: '100' })
 *   .subscribe(({ id }) => console.log(id));
 * ```
 */
export const investFixed: Endpoint<InvestFixedParams, MadeInvestment> = defineEndpoint({
  name: 'lending.investFixed',
  path: '/api/v4/main-account/smart/investment',
  rateLimit: mainAccountRateLimit,
  safety: 'once',
  request: v.strictObject(investParams),
  response: t.record(idFields),
  errorCodes: [{ status: 422, code: 1, reason: 'duplicate' }, ...investmentErrorCodes],
  recordLookup: recordLookup({
    compares: 'planId and amount with lending.fixedInvestments',
    list: fixedInvestments,
    itemsOf: ({ records }) => records,
    idOf: ({ id }) => id,
    madeAt: ({ created }) => created,
    matches: ({ plan, amount }, { planId, amount: requested }) => plan?.id === planId && isAmountOf(amount, requested),
    outputOf: ({ id }) => ({ id }),
  }),
});

const closeParams = {
  /** `id` of the investment. */
  id: text,
};

/** Parameters of {@link closeFixedInvestment}. */
export interface CloseFixedInvestmentParams extends ParamsOf<typeof closeParams> {}

/**
 * Closes an investment before its end: the amount goes back to the main balance, and interest may be lost. Emits an empty
 * list. After a lost response it is looked up in {@link fixedInvestments}.
 *
 * @example
 * ```ts
 * exchange.lending
 *   .closeFixedInvestment({ id: '7b4a1c0e-6f0e-4f0b-9d1e-000000000002' })
 *   .subscribe(() => console.log('closed'));
 * ```
 */
export const closeFixedInvestment: Endpoint<CloseFixedInvestmentParams, unknown[]> = defineEndpoint({
  name: 'lending.closeFixedInvestment',
  path: '/api/v4/main-account/smart/investment/close',
  rateLimit: mainAccountRateLimit,
  safety: 'keyed',
  request: v.strictObject(closeParams),
  response: emptyResponse,
  errorCodes: [{ status: 422, reason: 'duplicate' }],
  recordLookup: recordLookup({
    compares: 'id with the closed ones of lending.fixedInvestments',
    list: fixedInvestments,
    filterOf: ({ id }) => ({ id }),
    itemsOf: ({ records }) => records,
    matches: ({ id, status }, requested) => id === requested['id'] && status === 2,
    outputOf: () => [],
  }),
});
