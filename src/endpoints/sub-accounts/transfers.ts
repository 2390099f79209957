import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isAmountOf, agreesOn, isRequestedPage } from '../agrees-on.js';
import { emptyResponse } from '../responses.js';
import { assetTicker, oneOf, positiveDecimal, text, type ParamsOf } from '../fields.js';
import { listAllParams, pageParams, type AllItemsParams, type PageParams } from '../list-params.js';

const rateLimit = { limit: 1000, windowMs: 10_000 };
const directions = ['main_to_sub', 'sub_to_main'] as const;

const amountsFields = {
  /** On the main balance. */
  main: t.optionalDecimal,
  /** On the spot balance. */
  spot: t.optionalDecimal,
  /** On the collateral balance. */
  collateral: t.optionalDecimal,
};

/** The amounts of one asset. Unknown fields are kept. */
export interface SubAccountAmounts extends t.RecordOf<typeof amountsFields> {}

/** The balances of a sub-account, by asset. */
export interface SubAccountBalances extends Record<string, SubAccountAmounts> {}

/** Published as a list of one object; clients read the object. */
const amountsSchema: v.GenericSchema<unknown, SubAccountAmounts> = v.pipe(
  v.unknown(),
  v.transform((amounts): unknown => (Array.isArray(amounts) ? amounts[0] : amounts)),
  t.record(amountsFields),
);

const balancesParams = {
  /** UUID of the sub-account. */
  id: text,
  /** Only this asset. */
  ticker: v.exactOptional(assetTicker),
};

/** Parameters of {@link balances}. */
export interface BalancesParams extends ParamsOf<typeof balancesParams> {}

/**
 * Reads the balances of a sub-account by asset.
 *
 * @example
 * ```ts
 * exchange.subAccounts
 *   .balances({ id: '8e667b4a-0b71-4988-8af5-9474dbfaeb51' })
 *   .subscribe((balances) => console.log(balances['USDT']?.main));
 * ```
 */
export const balances: Endpoint<BalancesParams, SubAccountBalances> = defineEndpoint({
  name: 'subAccounts.balances',
  path: '/api/v4/sub-account/balances',
  rateLimit,
  safety: 'read',
  request: v.strictObject(balancesParams),
  response: t.mapOf(amountsSchema),
});

const transferFields = {
  /** UUID of the transfer. */
  transactionId: t.text,
  /** From the main account, or to it. */
  direction: t.oneOf(directions),
  /** The asset. */
  currency: t.text,
  /** Amount, in the asset. */
  amount: t.decimalText,
  /** When it was made, Unix seconds. */
  createdAt: t.optionalNumber,
};

/** A transfer between the main account and a sub-account. Unknown fields are kept. */
export interface SubAccountTransfer extends t.RecordOf<typeof transferFields> {}

/** A page of transfers. */
export interface SubAccountTransferPage extends PageOf<SubAccountTransfer> {}

const historyParams = {
  /** UUID of the sub-account. */
  id: text,
  /** Only transfers in this direction. */
  direction: v.exactOptional(oneOf(directions)),
};

/** Parameters of {@link transferHistory}. */
export interface TransferHistoryParams extends PageParams, ParamsOf<typeof historyParams> {}

/**
 * Lists a page of the transfers between the main account and a sub-account, the newest first, 100 without `limit`.
 *
 * @example
 * ```ts
 * exchange.subAccounts
 *   .transferHistory({ id: '8e667b4a-0b71-4988-8af5-9474dbfaeb51' })
 *   .subscribe(({ data }) => console.log(data.map(({ amount, currency }) => `${amount} ${currency}`)));
 * ```
 */
export const transferHistory: Endpoint<TransferHistoryParams, SubAccountTransferPage> = defineEndpoint({
  name: 'subAccounts.transferHistory',
  path: '/api/v4/sub-account/transfer/history',
  rateLimit,
  safety: 'read',
  page: { defaultLimit: 100, listAll: 'subAccounts.listAllTransfers' },
  request: v.strictObject({ ...historyParams, ...pageParams }),
  // `id` is an older name of `transactionId`.
  response: v.pipe(
    v.unknown(),
    v.transform((page) => (Array.isArray(page) ? { data: page as unknown[] } : page)),
    pageOf<SubAccountTransfer>(t.record(transferFields, { transactionId: 'transaction_id' })),
  ),
  matchesRequest: (requested, page) =>
    isRequestedPage(requested, page) && page.data.every((one) => agreesOn('direction')(requested, one)),
});

/** Parameters of {@link listAllTransfers}. */
export interface ListAllTransfersParams extends AllItemsParams, ParamsOf<typeof historyParams> {}

/**
 * Emits the transfers between the main account and a sub-account one by one, the newest first, and completes.
 *
 * @example
 * ```ts
 * exchange.subAccounts
 *   .listAllTransfers({ id: '8e667b4a-0b71-4988-8af5-9474dbfaeb51' })
 *   .subscribe(({ amount, currency }) => console.log(amount, currency));
 * ```
 */
export const listAllTransfers: PagedList<ListAllTransfersParams, SubAccountTransfer, SubAccountTransferPage> = {
  name: 'subAccounts.listAllTransfers',
  pagesOf: transferHistory,
  request: v.strictObject({ ...historyParams, ...listAllParams }),
  itemsOf: ({ data }) => data,
  keyOf: ({ transactionId }) => transactionId,
};

const transferParams = {
  /** UUID of the sub-account. */
  id: text,
  /** From the main account, or to it. */
  direction: oneOf(directions),
  /** The asset, such as `USDT`. */
  ticker: assetTicker,
  /** Amount, in the asset, at least 0.00000001. */
  amount: positiveDecimal,
};

/** Parameters of {@link transfer}. */
export interface TransferParams extends ParamsOf<typeof transferParams> {}

const madeFields = {
  /** UUID of the transfer. */
  transactionId: t.optionalText,
};

/** A transfer that was made. Unknown fields are kept. */
export interface MadeTransfer extends t.RecordOf<typeof madeFields> {}

/**
 * Transfers an amount between the main balances of the main account and a sub-account, without a fee. After a lost response it
 * is looked up in {@link transferHistory}, by its values.
 *
 * @example
 * ```ts
 * exchange.subAccounts
 *   .transfer({ id: '8e667b4a-0b71-4988-8af5-9474dbfaeb51', direction: 'main_to_sub', ticker: 'USDT', amount: '100' })
 *   .subscribe(({ transactionId }) => console.log(transactionId));
 * ```
 */
export const transfer: Endpoint<TransferParams, MadeTransfer> = defineEndpoint({
  name: 'subAccounts.transfer',
  path: '/api/v4/sub-account/transfer',
  rateLimit,
  safety: 'once',
  request: v.strictObject(transferParams),
  response: v.pipe(
    v.unknown(),
    v.transform((made) => (Array.isArray(made) ? {} : made)),
    t.record(madeFields, { transactionId: 'transaction_id' }),
  ),
  errorCodes: [{ status: 400, field: 'amount', reason: 'amount' }],
  recordLookup: recordLookup({
    compares: 'id, direction, ticker and amount with subAccounts.transferHistory',
    list: transferHistory,
    paramsOf: ({ id }) => ({ id }),
    itemsOf: ({ data }) => data,
    idOf: ({ transactionId }) => transactionId,
    madeAt: ({ createdAt }) => createdAt,
    matches: ({ direction, currency, amount }, requested) =>
      direction === requested['direction'] &&
      currency === requested['ticker'] &&
      isAmountOf(amount, requested['amount']),
    outputOf: ({ transactionId }) => ({ transactionId }),
  }),
});

const withdrawalFields = {
  /** UUID of the withdrawal: for {@link confirmWithdrawal}. */
  id: t.text,
  /** The sub-account. */
  subAccountId: t.optionalText,
  /** The asset. */
  currency: t.optionalText,
  /** Amount, in the asset. */
  amount: t.optionalDecimal,
  /** When it was requested, Unix seconds. */
  createdAt: t.optionalNumber,
};

/** A withdrawal that waits for the main account. Unknown fields are kept. */
export interface UnconfirmedWithdrawal extends t.RecordOf<typeof withdrawalFields> {}

/** A page of withdrawals that wait for the main account. */
export interface UnconfirmedWithdrawalPage extends PageOf<UnconfirmedWithdrawal> {}

const unconfirmedParams = {
  /** Only withdrawals of this sub-account. */
  subAccountId: v.exactOptional(text),
};

/** Parameters of {@link unconfirmedWithdrawals}. */
export interface UnconfirmedWithdrawalsParams extends PageParams, ParamsOf<typeof unconfirmedParams> {}

/**
 * Lists a page of the withdrawals of sub-accounts that wait for the main account, the newest first, 100 without `limit`. The
 * exchange enables it on request. There is no rejection: a withdrawal that is not confirmed expires.
 *
 * @example
 * ```ts
 * exchange.subAccounts.unconfirmedWithdrawals().subscribe(({ data }) => console.log(data.length));
 * ```
 */
export const unconfirmedWithdrawals: Endpoint<UnconfirmedWithdrawalsParams, UnconfirmedWithdrawalPage> = defineEndpoint(
  {
    name: 'subAccounts.unconfirmedWithdrawals',
    path: '/api/v4/sub-account/withdraw/unconfirmed-list',
    safety: 'read',
    page: { defaultLimit: 100 },
    request: v.strictObject({ ...unconfirmedParams, ...pageParams }),
    response: pageOf<UnconfirmedWithdrawal>(t.record(withdrawalFields)),
    matchesRequest: isRequestedPage,
  },
);

const confirmParams = {
  /** `id` of the withdrawal. */
  id: text,
};

/** Parameters of {@link confirmWithdrawal}. */
export interface ConfirmWithdrawalParams extends ParamsOf<typeof confirmParams> {}

/**
 * Confirms the withdrawal of a sub-account. Emits an empty list. Needs `allowWithdrawals` of the client. After a lost response
 * its outcome stays `unknown`: it was confirmed if {@link unconfirmedWithdrawals} does not list it, and it has not expired.
 *
 * @example
 * ```ts
 * exchange.subAccounts
 *   .confirmWithdrawal({ id: '0f6b8a3e-6b1c-4f0a-9a53-4b7c60f3a5d2' })
 *   .subscribe(() => console.log('confirmed'));
 * ```
 */
export const confirmWithdrawal: Endpoint<ConfirmWithdrawalParams, unknown[]> = defineEndpoint({
  name: 'subAccounts.confirmWithdrawal',
  path: '/api/v4/sub-account/withdraw/confirm',
  safety: 'keyed',
  movesMoneyOut: true,
  request: v.strictObject(confirmParams),
  response: emptyResponse,
  errorCodes: [{ status: 422, code: 422, reason: 'duplicate' }],
});
