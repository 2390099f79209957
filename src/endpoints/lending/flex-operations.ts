import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint } from '../../endpoint/index.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isAmountOf, isRequestedPage } from '../agrees-on.js';
import { boundedInteger, flag, positiveDecimal, text, unixSeconds, type ParamsOf } from '../fields.js';
import { pageParams, type PageParams } from '../list-params.js';
import { mainAccountRateLimit } from '../rate-limits.js';
import { dataOf, emptyResponse } from '../responses.js';
import { investmentErrorCodes } from './error-codes.js';

const operationFields = {
  /** UUID of the operation. */
  transactionId: t.text,
  /** `1`: invested. `2`: earnings invested. 3: withdrawn. 4: earned. 5: closed. 6: opened. */
  actionType: t.optionalNumber,
  /** The plan. */
  planId: t.optionalText,
  /** The investment. */
  investmentId: t.optionalText,
  /** The asset. */
  currency: t.optionalText,
  /** Amount, in the asset. */
  amount: t.decimalText,
  /** When it was made, Unix seconds. */
  createdAt: t.optionalNumber,
};

/** An operation of an investment without a fixed duration. Unknown fields are kept. */
export interface FlexOperation extends t.RecordOf<typeof operationFields> {}

/** A page of operations. */
export interface FlexOperationPage extends PageOf<FlexOperation> {}

const earningsParams = {
  /** Only those of this plan. */
  plan: v.exactOptional(text),
  /** Only those of this investment. */
  investment: v.exactOptional(text),
  /** Only this operation. */
  transaction: v.exactOptional(text),
  /** Only operations from this time on, Unix seconds. */
  dateFrom: v.exactOptional(unixSeconds),
  /** Only operations up to this time, Unix seconds. */
  dateTo: v.exactOptional(unixSeconds),
};

const operationsParams = {
  ...earningsParams,
  /** Only operations of these types: see {@link FlexOperation}. */
  actionTypes: v.exactOptional(v.array(boundedInteger(1, 6))),
};

/** Parameters of {@link flexOperations}. */
export interface FlexOperationsParams extends PageParams, ParamsOf<typeof operationsParams> {}

/** Parameters of {@link flexEarnings}. */
export interface FlexEarningsParams extends PageParams, ParamsOf<typeof earningsParams> {}

const operationsResponse = pageOf<FlexOperation>(t.record(operationFields, { transactionId: 'transaction_id' }));

/**
 * Lists a page of the operations of investments without a fixed duration, 50 without `limit`.
 *
 * @example
 * ```ts
 * exchange.lending.flexOperations({ actionTypes: [1, 3] }).subscribe(({ data }) => console.log(data.length));
 * ```
 */
export const flexOperations: Endpoint<FlexOperationsParams, FlexOperationPage> = defineEndpoint({
  name: 'lending.flexOperations',
  path: '/api/v4/main-account/smart-flex/investments/history',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  page: { defaultLimit: 50 },
  request: v.strictObject({ ...operationsParams, ...pageParams }),
  response: operationsResponse,
  matchesRequest: isRequestedPage,
});

/**
 * Lists a page of the earnings of investments without a fixed duration, 50 without `limit`.
 *
 * @example
 * ```ts
 * exchange.lending.flexEarnings({ limit: 10 }).subscribe(({ data }) => console.log(data.map(({ amount }) => amount)));
 * ```
 */
export const flexEarnings: Endpoint<FlexEarningsParams, FlexOperationPage> = defineEndpoint({
  name: 'lending.flexEarnings',
  path: '/api/v4/main-account/smart-flex/investments/payment-history',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  page: { defaultLimit: 50 },
  request: v.strictObject({ ...earningsParams, ...pageParams }),
  response: operationsResponse,
  matchesRequest: isRequestedPage,
});

const madeFields = {
  /** UUID of the operation. */
  transactionId: t.optionalText,
};

/** The operation that was made. Unknown fields are kept. */
export interface MadeOperation extends t.RecordOf<typeof madeFields> {}

const madeSchema = dataOf<MadeOperation>(t.record(madeFields, { transactionId: 'transaction_id' }));

/** An operation of a type, of the plan and the amount of the request. */
function operationLookup(...types: readonly number[]) {
  return recordLookup({
    compares: 'plan and amount with lending.flexOperations',
    list: flexOperations,
    itemsOf: ({ data }) => data,
    idOf: ({ transactionId }) => transactionId,
    madeAt: ({ createdAt }) => createdAt,
    matches: ({ planId, amount, actionType = 0 }, { plan, amount: requested }) =>
      planId === plan && types.includes(actionType) && isAmountOf(amount.replace(/^-/, ''), requested),
    outputOf: ({ transactionId }) => ({ transactionId }),
  });
}

const amountParams = {
  /** `id` of a plan. */
  plan: text,
  /** Amount, in the asset of the plan. */
  amount: positiveDecimal,
};

const investParams = {
  ...amountParams,
  /**
   * Whether earnings are invested again.
   *
   * @default false
   */
  withReinvest: v.exactOptional(flag),
};

/** Parameters of {@link investFlex}. */
export interface InvestFlexParams extends ParamsOf<typeof investParams> {}

/**
 * Invests an amount of the main balance without a fixed duration. After a lost response it is looked up in
 * {@link flexOperations}, by plan and amount.
 *
 * @example
 * ```ts
 * exchange.lending
 *   .investFlex({ plan: '7b4a1c0e-6f0e-4f0b-9d1e-000000000003', amount: '100' })
 *   .subscribe(({ transactionId }) => console.log(transactionId));
 * ```
 */
export const investFlex: Endpoint<InvestFlexParams, MadeOperation> = defineEndpoint({
  name: 'lending.investFlex',
  path: '/api/v4/main-account/smart-flex/investments/invest',
  rateLimit: mainAccountRateLimit,
  safety: 'once',
  request: v.strictObject(investParams),
  response: madeSchema,
  errorCodes: investmentErrorCodes,
  recordLookup: operationLookup(1, 6),
});

/** Parameters of {@link withdrawFlex}. */
export interface WithdrawFlexParams extends ParamsOf<typeof amountParams> {}

/**
 * Takes an amount back to the main balance. What is left must be at least the minimum of the plan. After a lost response it is
 * looked up in {@link flexOperations}, by plan and amount.
 *
 * @example
 * ```ts
 * exchange.lending
 *   .withdrawFlex({ plan: '7b4a1c0e-6f0e-4f0b-9d1e-000000000003', amount: '50' })
 *   .subscribe(({ transactionId }) => console.log(transactionId));
 * ```
 */
export const withdrawFlex: Endpoint<WithdrawFlexParams, MadeOperation> = defineEndpoint({
  name: 'lending.withdrawFlex',
  path: '/api/v4/main-account/smart-flex/investments/withdraw',
  rateLimit: mainAccountRateLimit,
  safety: 'once',
  request: v.strictObject(amountParams),
  response: madeSchema,
  errorCodes: [{ status: 422, field: 'minAmountLeft', reason: 'amount' }, ...investmentErrorCodes],
  recordLookup: operationLookup(3),
});

const closeParams = {
  /** `id` of the **plan**, not of the investment. */
  plan: text,
};

/** Parameters of {@link closeFlexInvestment}. */
export interface CloseFlexInvestmentParams extends ParamsOf<typeof closeParams> {}

/**
 * Closes the investment of a plan: the amount goes back to the main balance. After a lost response it is looked up in
 * {@link flexOperations}.
 *
 * @example
 * ```ts
 * exchange.lending
 *   .closeFlexInvestment({ plan: '7b4a1c0e-6f0e-4f0b-9d1e-000000000003' })
 *   .subscribe(() => console.log('closed'));
 * ```
 */
export const closeFlexInvestment: Endpoint<CloseFlexInvestmentParams, MadeOperation> = defineEndpoint({
  name: 'lending.closeFlexInvestment',
  path: '/api/v4/main-account/smart-flex/investments/close',
  rateLimit: mainAccountRateLimit,
  safety: 'keyed',
  request: v.strictObject(closeParams),
  response: madeSchema,
  errorCodes: [{ status: 422, reason: 'duplicate' }],
  recordLookup: recordLookup({
    compares: 'plan with the newest closes of lending.flexOperations',
    list: flexOperations,
    itemsOf: ({ data }) => data,
    idOf: ({ transactionId }) => transactionId,
    madeAt: ({ createdAt }) => createdAt,
    matches: ({ planId, actionType }, { plan }) => planId === plan && actionType === 5,
    outputOf: ({ transactionId }) => ({ transactionId }),
  }),
});

const reinvestParams = {
  /** `id` of a plan. */
  plan: text,
  /** Whether earnings are invested again. */
  enabled: flag,
};

/** Parameters of {@link setFlexReinvest}. */
export interface SetFlexReinvestParams extends ParamsOf<typeof reinvestParams> {}

/**
 * Sets whether the earnings of a plan are invested again. Emits an empty list. The account must have an investment in the plan.
 *
 * @example
 * ```ts
 * exchange.lending
 *   .setFlexReinvest({ plan: '7b4a1c0e-6f0e-4f0b-9d1e-000000000003', enabled: true })
 *   .subscribe(() => console.log('set'));
 * ```
 */
export const setFlexReinvest: Endpoint<SetFlexReinvestParams, unknown[]> = defineEndpoint({
  name: 'lending.setFlexReinvest',
  path: '/api/v4/main-account/smart-flex/investments/auto-invest',
  rateLimit: mainAccountRateLimit,
  safety: 'idempotent',
  key: ({ plan }) => plan,
  request: v.strictObject(reinvestParams),
  response: emptyResponse,
});
