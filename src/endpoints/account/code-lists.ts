import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isRequestedPage } from '../agrees-on.js';
import { type AllItemsParams, listAllParams, pageParams, type PageParams, withinListed } from '../list-params.js';
import { mainAccountRateLimit } from '../rate-limits.js';

const codeFields = {
  /** The code. A secret: who has it, and its passphrase, has the money. */
  code: v.pipe(t.text, v.nonEmpty('must not be empty')),
  /** The asset. */
  ticker: t.text,
  /** When it was created, or redeemed, Unix seconds. */
  date: t.optionalNumber,
  /** State, as the exchange sends it, such as `New` or `Activated`. */
  status: t.optionalText,
  /** The exchange's identifier of the code. Not a secret. */
  external_id: t.optionalText,
};

const myCodeFields = {
  ...codeFields,
  /** Amount, in the asset. */
  amount: t.decimalText,
};

/** A code of the account. Unknown fields are kept. */
export interface MyCode extends t.RecordOf<typeof myCodeFields> {}

const myCodeSchema: v.GenericSchema<unknown, MyCode> = t.record(myCodeFields);

/** A page of codes. */
export interface MyCodePage extends PageOf<MyCode> {}

const listRequest = v.pipe(v.strictObject(pageParams), withinListed(30));

/** Parameters of {@link myCodes}. */
export interface MyCodesParams extends PageParams {}

/**
 * Lists a page of the codes that the account created, newest first, whether they were redeemed or not.
 * {@link listAllMyCodes} reads every page. `limit` and `offset` together are at most 10000. The codes are secrets.
 *
 * @example
 * ```ts
 * exchange.account.myCodes({ limit: 10 }).subscribe(({ data }) => {
 *   for (const { external_id, amount, ticker, status } of data) console.log(external_id, amount, ticker, status);
 * });
 * ```
 */
export const myCodes: Endpoint<MyCodesParams, MyCodePage> = defineEndpoint({
  name: 'account.myCodes',
  path: '/api/v4/main-account/codes/my',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  confidential: true,
  page: { defaultLimit: 30, listAll: 'account.listAllMyCodes' },
  request: listRequest,
  response: pageOf(myCodeSchema),
  matchesRequest: isRequestedPage,
});

/** Parameters of {@link listAllMyCodes}. */
export interface ListAllMyCodesParams extends AllItemsParams {}

const keyOf = ({ code, date }: { readonly code: string; readonly date?: number | undefined }) => `${date} ${code}`;

/**
 * Emits the codes that the account created one by one, newest first, and completes. The codes are secrets.
 *
 * @example
 * ```ts
 * exchange.account.listAllMyCodes().subscribe(({ external_id, status }) => console.log(external_id, status));
 * ```
 */
export const listAllMyCodes: PagedList<ListAllMyCodesParams, MyCode, MyCodePage> = {
  name: 'account.listAllMyCodes',
  pagesOf: myCodes,
  request: v.strictObject(listAllParams),
  itemsOf: ({ data }) => data,
  keyOf,
};

/** The exchange writes a plus before what was redeemed, which a decimal string does not have. */
const signedDecimal: v.GenericSchema<unknown, string> = v.pipe(
  v.unknown(),
  v.transform((amount) => (typeof amount === 'string' ? amount.replace(/^\+(?=\d)/, '') : amount)),
  t.decimalText,
);

const usedCodeFields = {
  ...codeFields,
  /** Amount, in the asset: negative for a code that was created, positive for one that was redeemed. */
  amount: signedDecimal,
};

/** A code that the account created or redeemed. Unknown fields are kept. */
export interface UsedCode extends t.RecordOf<typeof usedCodeFields> {}

const usedCodeSchema: v.GenericSchema<unknown, UsedCode> = t.record(usedCodeFields);

/** A page of the history of codes. */
export interface CodeHistoryPage extends PageOf<UsedCode> {}

/** Parameters of {@link codeHistory}. */
export interface CodeHistoryParams extends PageParams {}

/**
 * Lists a page of the codes that the account created or redeemed, newest first. {@link listAllCodeHistory} reads every
 * page. `limit` and `offset` together are at most 10000. The codes are secrets.
 *
 * @example
 * ```ts
 * exchange.account.codeHistory({ limit: 10 }).subscribe(({ data }) => {
 *   for (const { amount, ticker } of data) console.log(amount.startsWith('-') ? 'created' : 'redeemed', amount, ticker);
 * });
 * ```
 */
export const codeHistory: Endpoint<CodeHistoryParams, CodeHistoryPage> = defineEndpoint({
  name: 'account.codeHistory',
  path: '/api/v4/main-account/codes/history',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  confidential: true,
  page: { defaultLimit: 30, listAll: 'account.listAllCodeHistory' },
  request: listRequest,
  response: pageOf(usedCodeSchema),
  matchesRequest: isRequestedPage,
});

/** Parameters of {@link listAllCodeHistory}. */
export interface ListAllCodeHistoryParams extends AllItemsParams {}

/**
 * Emits the codes that the account created or redeemed one by one, newest first, and completes. The codes are secrets.
 *
 * @example
 * ```ts
 * exchange.account.listAllCodeHistory({ maxItems: 500 }).subscribe(({ amount, ticker }) => console.log(amount, ticker));
 * ```
 */
export const listAllCodeHistory: PagedList<ListAllCodeHistoryParams, UsedCode, CodeHistoryPage> = {
  name: 'account.listAllCodeHistory',
  pagesOf: codeHistory,
  request: v.strictObject(listAllParams),
  itemsOf: ({ data }) => data,
  keyOf,
};
