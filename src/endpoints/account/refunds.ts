import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { type RecordsPage, recordsPageOf } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { agreesOn, isRequested, isRequestedPage } from '../agrees-on.js';
import { assetTicker, type ParamsOf, text } from '../fields.js';
import { type AllItemsParams, listAllParams, pageParams, type PageParams, withinListed } from '../list-params.js';
import { mainAccountRateLimit } from '../rate-limits.js';

const depositId = v.pipe(text, v.uuid('must be a UUID: transactionId of the deposit'));

/** The states of a refund. */
const refundStatuses = ['in_process', 'successful', 'canceled'] as const;

/** The state of a refund: in process until it is `successful` or `canceled`. The exchange may add others. */
export type RefundStatus = (typeof refundStatuses)[number];

const refundFields = {
  /** `transactionId` of the deposit. */
  depositId: t.text,
  /** Name of the asset. */
  currency: t.optionalText,
  /** The asset. */
  ticker: t.optionalText,
  /** The network. */
  network: t.optionalText,
  /** Amount of the deposit. */
  depositAmount: t.optionalDecimal,
  /** Identifies the refund. */
  refundId: t.text,
  /** Where the refund goes. */
  refundAddress: t.text,
  /** Amount of the refund. */
  refundAmount: t.optionalDecimal,
  /** Hash of its transaction, once it is successful. */
  refundHash: t.optionalText,
  /** Memo of the address. */
  memo: t.optionalText,
  /** `in_process`, `successful` or `canceled`. */
  status: t.oneOf(refundStatuses),
  /** When it was requested, Unix seconds. */
  createdAt: t.optionalNumber,
  /** When it ended, Unix seconds. */
  processedAt: t.optionalNumber,
};

/** A refund of a deposit. Unknown fields are kept. */
export interface Refund extends t.RecordOf<typeof refundFields> {}

const refundSchema: v.GenericSchema<unknown, Refund> = t.record(refundFields);

const listParams = {
  /** Only the refunds of this deposit: its `transactionId`. */
  depositId: v.exactOptional(depositId),
  /** Only the refunds of this asset, on any network. */
  ticker: v.exactOptional(assetTicker),
};

/** Parameters of {@link refundHistory}. */
export interface RefundHistoryParams extends PageParams, ParamsOf<typeof listParams> {}

/** A page of refunds. */
export interface RefundPage extends RecordsPage<Refund> {}

/**
 * Lists a page of the refunds of deposits, newest first. {@link listAllRefundHistory} reads every page. `limit` and
 * `offset` together are at most 10000. A deposit that was refunded in part is not listed.
 *
 * @example
 * ```ts
 * exchange.account.refundHistory({ limit: 10 }).subscribe(({ records }) => console.log(records.map(({ status }) => status)));
 * ```
 */
export const refundHistory: Endpoint<RefundHistoryParams, RefundPage> = defineEndpoint({
  name: 'account.refundHistory',
  path: '/api/v4/main-account/refund-history',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  confidential: true,
  page: { defaultLimit: 100, listAll: 'account.listAllRefundHistory' },
  request: v.pipe(v.strictObject({ ...listParams, ...pageParams }), withinListed(100)),
  response: recordsPageOf(refundSchema),
  matchesRequest: (requested, page) =>
    isRequestedPage(requested, page) &&
    page.records.every(
      (refund) => agreesOn('depositId')(requested, refund) && isRequested(requested['ticker'], refund.ticker),
    ),
});

/** Parameters of {@link listAllRefundHistory}. */
export interface ListAllRefundHistoryParams extends AllItemsParams, ParamsOf<typeof listParams> {}

/**
 * Emits the refunds of deposits one by one, newest first, and completes.
 *
 * @example
 * ```ts
 * exchange.account
 *   .listAllRefundHistory({ maxItems: 500 })
 *   .subscribe(({ depositId, refundAmount, status }) => console.log(depositId, refundAmount, status));
 * ```
 */
export const listAllRefundHistory: PagedList<ListAllRefundHistoryParams, Refund, RefundPage> = {
  name: 'account.listAllRefundHistory',
  pagesOf: refundHistory,
  request: v.strictObject({ ...listParams, ...listAllParams }),
  itemsOf: ({ records }) => records,
  keyOf: ({ refundId }) => refundId,
};

const maxMemoLength = 255;

const params = {
  /** The canceled deposit: its `transactionId`, a UUID. */
  transactionId: depositId,
  /** Where the money goes: an address outside of the exchange, on the network of the deposit. */
  address: v.pipe(text, v.nonEmpty('must not be empty'), v.regex(/^\S*$/, 'must not contain spaces')),
  /** Memo of the address, at most 255 characters. Required by assets with memos. */
  memo: v.exactOptional(v.pipe(text, v.maxLength(maxMemoLength, `must be at most ${maxMemoLength} characters`))),
};

/** Parameters of {@link refundDeposit}. All of them are confidential. */
export interface RefundDepositParams extends ParamsOf<typeof params> {}

const fields = {
  /** `transactionId` of the deposit. */
  id: t.text,
};

/** The deposit that is refunded. Unknown fields are kept. */
export interface RefundedDeposit extends t.RecordOf<typeof fields> {}

/** Addresses of some networks have no case, and a list may show another one. */
const hasValue = (requested: unknown, shown: string) =>
  typeof requested === 'string' && shown.toLowerCase() === requested.toLowerCase();

/**
 * Sends a canceled deposit to an address outside of the exchange. {@link refundHistory} shows how it goes on. The
 * exchange enables it on request. It needs the client's `allowWithdrawals`, because it moves money out.
 *
 * The exchange refunds a deposit once. A request whose response was lost, or that was refused because of an earlier one,
 * is looked up in {@link refundHistory} by the deposit and the address; a refund that was canceled counts as not
 * executed. `other` means that the deposit is not one that can be refunded, or that it was refunded to another address.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const refundDeposit$ = (exchange: Exchange, transactionId: string, address: string) =>
 *   exchange.account.refundDeposit({ transactionId, address });
 * ```
 */
export const refundDeposit: Endpoint<RefundDepositParams, RefundedDeposit> = defineEndpoint({
  name: 'account.refundDeposit',
  path: '/api/v4/main-account/refund-deposit',
  rateLimit: mainAccountRateLimit,
  safety: 'keyed',
  movesMoneyOut: true,
  confidential: true,
  request: v.strictObject(params),
  response: t.record(fields),
  matchesRequest: ({ transactionId }, { id }) => hasValue(transactionId, id),
  recordLookup: recordLookup({
    compares: 'transactionId and address with account.refundHistory',
    list: refundHistory,
    paramsOf: ({ transactionId }) => ({ depositId: transactionId }),
    itemsOf: ({ records }: RefundPage) => records,
    madeAt: ({ createdAt }) => createdAt,
    matches: (refund, { transactionId, address }) =>
      hasValue(transactionId, refund.depositId) &&
      hasValue(address, refund.refundAddress) &&
      refund.status !== 'canceled',
    outputOf: ({ depositId: id }) => ({ id }),
    // A second refund is refused without a code or a field of its own.
    after: ['other'],
  }),
});
