import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { decimal, formatDecimal } from '../../model/decimal.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isAmountOf, agreesOn, isRequestedPage } from '../agrees-on.js';
import { assetTicker, oneOf, positiveDecimalWith, rule, type ParamsOf } from '../fields.js';
import { listAllParams, pageParams, withinListed, type AllItemsParams, type PageParams } from '../list-params.js';
import { mainAccountRateLimit } from '../rate-limits.js';
import { emptyResponse } from '../responses.js';

const balances = ['main', 'spot', 'collateral'] as const;

const fields = {
  /** UUID of the transfer. */
  id: t.text,
  /** The asset. */
  currency: t.text,
  /** Amount, in the asset. */
  amount: t.decimalText,
  /** The balance that was debited. */
  from_balance: t.oneOf(balances),
  /** The balance that was credited. */
  to_balance: t.oneOf(balances),
  /** When it was executed, Unix seconds: after the request. */
  created_at: t.optionalNumber,
};

/** A transfer between two balances of the account. Unknown fields are kept. */
export interface Transfer extends t.RecordOf<typeof fields> {}

/** A page of transfers. */
export interface TransferPage extends PageOf<Transfer> {}

const historyParams = {
  /** Only transfers from this balance. */
  from_balance: v.exactOptional(oneOf(balances)),
  /** Only transfers to this balance. Every transfer has `main` on one side. */
  to_balance: v.exactOptional(oneOf(balances)),
};

/** Parameters of {@link transferHistory}. */
export interface TransferHistoryParams extends PageParams, ParamsOf<typeof historyParams> {}

/**
 * Lists a page of the executed transfers between the balances of the account, the newest first. A transfer between `spot`
 * and `collateral` is two records. Transfers that the exchange makes, such as rewards of the mining pool, are listed, too.
 *
 * @example
 * ```ts
 * exchange.account.transferHistory({ limit: 10 }).subscribe(({ data }) => {
 *   for (const { from_balance, to_balance, amount, currency } of data) console.log(from_balance, to_balance, amount, currency);
 * });
 * ```
 */
export const transferHistory: Endpoint<TransferHistoryParams, TransferPage> = defineEndpoint({
  name: 'account.transferHistory',
  path: '/api/v4/main-account/transfer/history',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  page: { defaultLimit: 100, listAll: 'account.listAllTransfers' },
  request: v.pipe(v.strictObject({ ...historyParams, ...pageParams }), withinListed(100)),
  response: pageOf<Transfer>(t.record(fields)),
  matchesRequest: (requested, page) =>
    isRequestedPage(requested, page) &&
    page.data.every((transfer) => agreesOn('from_balance', 'to_balance')(requested, transfer)),
});

/** Parameters of {@link listAllTransfers}. */
export interface ListAllTransfersParams extends AllItemsParams, ParamsOf<typeof historyParams> {}

/**
 * Emits the executed transfers one by one, the newest first, and completes.
 *
 * @example
 * ```ts
 * exchange.account.listAllTransfers({ maxItems: 500 }).subscribe(({ id, amount }) => console.log(id, amount));
 * ```
 */
export const listAllTransfers: PagedList<ListAllTransfersParams, Transfer, TransferPage> = {
  name: 'account.listAllTransfers',
  pagesOf: transferHistory,
  request: v.strictObject({ ...historyParams, ...listAllParams }),
  itemsOf: ({ data }) => data,
  keyOf: ({ id }) => id,
};

const params = {
  /** The balance to debit. */
  from: oneOf(balances),
  /** The balance to credit. */
  to: oneOf(balances),
  /** The asset, such as `USDT`. */
  ticker: assetTicker,
  /** Amount, in the asset, above 0, at most 8 decimals. */
  amount: positiveDecimalWith(8),
};

/** Parameters of {@link transfer}. */
export interface TransferParams extends ParamsOf<typeof params> {}

/** A transfer between `spot` and `collateral` goes through `main`: it is two records. */
function stepsOf(from: unknown, to: unknown): readonly (readonly [unknown, unknown])[] {
  return from === 'main' || to === 'main'
    ? [[from, to]]
    : [
        [from, 'main'],
        ['main', to],
      ];
}

/**
 * Transfers an amount between two balances of the account. The exchange queues it: it is executed within about 2 s. Emits an
 * empty list. Money that is held back, see {@link withdrawableBalance}, cannot be transferred to `collateral`.
 *
 * After a lost response the transfer is looked up in {@link transferHistory}, by its values: while its outcome is unknown,
 * another transfer of the same values is refused.
 *
 * @example
 * ```ts
 * exchange.account.transfer({ from: 'main', to: 'spot', ticker: 'USDT', amount: '100' }).subscribe(() => console.log('done'));
 * ```
 */
export const transfer: Endpoint<TransferParams, unknown[]> = defineEndpoint({
  name: 'account.transfer',
  path: '/api/v4/main-account/transfer',
  rateLimit: mainAccountRateLimit,
  safety: 'once',
  request: v.pipe(
    v.strictObject(params),
    rule('to', ({ from, to }) => from !== to, 'must be another balance than from'),
  ),
  response: emptyResponse,
  errorCodes: [
    { status: 422, code: 3, reason: 'insufficient-balance' },
    { status: 422, field: 'amount', reason: 'amount' },
  ],
  recordLookup: recordLookup({
    compares: 'from, to, ticker and amount with account.transferHistory',
    list: transferHistory,
    itemsOf: ({ data }) => data,
    idOf: ({ id }) => id,
    madeAt: ({ created_at }) => created_at,
    partsOf: ({ from, to }) => stepsOf(from, to).length,
    namesOf: ({ from, to, ticker, amount }) =>
      stepsOf(from, to).map((step) => [ticker, formatDecimal(decimal(String(amount))), ...step].join(' ')),
    matches: ({ currency, amount, from_balance, to_balance }, { from, to, ticker, amount: requested }, part) => {
      const step = stepsOf(from, to)[part];
      const isStep = currency === ticker && from_balance === step?.[0] && to_balance === step[1];
      return isStep && isAmountOf(amount, requested);
    },
    outputOf: () => [],
  }),
});
