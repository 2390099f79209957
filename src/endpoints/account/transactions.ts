import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { recordsPageOf } from '../../model/paging.js';
import { transactionSchema, type Transaction, type TransactionPage } from '../../model/transaction.js';
import { agreesOn, isRequestedPage } from '../agrees-on.js';
import { assetTicker, boundedInteger, oneOf, text, type ParamsOf } from '../fields.js';
import { historyParams, listAllParams, withinListed, type AllItemsParams } from '../list-params.js';
import { mainAccountRateLimit } from '../rate-limits.js';

const params = {
  /** `1`: only deposits. `2`: only withdrawals. */
  transactionMethod: v.exactOptional(oneOf([1, 2])),
  /** Only this asset. */
  ticker: v.exactOptional(assetTicker),
  /** Only this address. */
  address: v.exactOptional(text),
  /** Only these addresses, at most 20. */
  addresses: v.exactOptional(v.pipe(v.array(text), v.maxLength(20, 'must have at most 20 addresses'))),
  /** Only this memo. */
  memo: v.exactOptional(text),
  /** Only the transaction with this identifier of yours. */
  uniqueId: v.exactOptional(text),
  /** Only transactions of these states: see `status` of a transaction. */
  status: v.exactOptional(v.array(boundedInteger(1, 100))),
};

const pageParams = {
  /** Maximum number of items, 1 to 500. */
  limit: historyParams.limit,
  /**
   * Number of items to skip, 0 to 10000.
   *
   * @default 0
   */
  offset: historyParams.offset,
};

/** Parameters of {@link transactionHistory}. */
export interface TransactionHistoryParams extends ParamsOf<typeof params>, ParamsOf<typeof pageParams> {}

/**
 * Lists a page of the deposits and withdrawals of the main account, the newest first, 50 without `limit`. The exchange
 * may ignore a filter whose name it writes differently: compare the records yourself.
 *
 * @example
 * ```ts
 * exchange.account.transactionHistory({ transactionMethod: 1, limit: 10 }).subscribe(({ records }) => {
 *   for (const { ticker, amount, status } of records) console.log(ticker, amount, status);
 * });
 * ```
 */
export const transactionHistory: Endpoint<TransactionHistoryParams, TransactionPage> = defineEndpoint({
  name: 'account.transactionHistory',
  path: '/api/v4/main-account/history',
  rateLimit: [{ limit: 200, windowMs: 10_000 }, mainAccountRateLimit],
  safety: 'read',
  page: { defaultLimit: 50, listAll: 'account.listAllTransactions' },
  confidential: true,
  request: v.pipe(v.strictObject({ ...params, ...pageParams }), withinListed(50)),
  wireNames: { uniqueId: 'unique_id' },
  response: recordsPageOf(transactionSchema),
  matchesRequest: (requested, page) =>
    isRequestedPage(requested, page) && page.records.every((one) => agreesOn('ticker')(requested, one)),
});

/** Parameters of {@link listAllTransactions}. */
export interface ListAllTransactionsParams extends AllItemsParams, ParamsOf<typeof params> {}

/**
 * Emits the deposits and withdrawals one by one, the newest first, and completes.
 *
 * @example
 * ```ts
 * exchange.account
 *   .listAllTransactions({ transactionMethod: 2, maxItems: 500 })
 *   .subscribe(({ uniqueId, status }) => console.log(uniqueId, status));
 * ```
 */
export const listAllTransactions: PagedList<ListAllTransactionsParams, Transaction, TransactionPage> = {
  name: 'account.listAllTransactions',
  pagesOf: transactionHistory,
  request: v.strictObject({ ...params, ...listAllParams }),
  itemsOf: ({ records }) => records,
  keyOf: ({ transactionId, transactionHash, createdAt, amount }) =>
    transactionId ?? `${transactionHash} ${createdAt} ${amount}`,
};
