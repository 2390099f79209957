import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { type SubAccount, subAccountSchema } from '../../model/accounts.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import { isRequestedPage } from '../agrees-on.js';
import { type ParamsOf, text } from '../fields.js';
import { type AllItemsParams, listAllParams, pageParams, type PageParams } from '../list-params.js';

const params = {
  /** Only sub-accounts that match this search term. */
  search: v.exactOptional(text),
};

/** Parameters of {@link list}. */
export interface ListParams extends PageParams, ParamsOf<typeof params> {}

/** A page of sub-accounts. */
export interface SubAccountPage extends PageOf<SubAccount> {}

/**
 * Lists a page of the sub-accounts of the main account. {@link listAll} reads every page.
 *
 * @example
 * ```ts
 * exchange.subAccounts.list({ limit: 10 }).subscribe(({ data }) => console.log(data.map(({ alias }) => alias)));
 * ```
 */
export const list: Endpoint<ListParams, SubAccountPage> = defineEndpoint({
  name: 'subAccounts.list',
  path: '/api/v4/sub-account/list',
  rateLimit: { limit: 1000, windowMs: 10_000 },
  safety: 'read',
  confidential: true,
  page: { defaultLimit: 30, listAll: 'subAccounts.listAll' },
  request: v.strictObject({ ...params, ...pageParams }),
  response: pageOf(subAccountSchema),
  matchesRequest: isRequestedPage,
});

/** Parameters of {@link listAll}. */
export interface ListAllParams extends AllItemsParams, ParamsOf<typeof params> {}

/**
 * Emits the sub-accounts of the main account one by one, and completes.
 *
 * @example
 * ```ts
 * exchange.subAccounts.listAll({ search: 'bot' }).subscribe(({ alias }) => console.log(alias));
 * ```
 */
export const listAll: PagedList<ListAllParams, SubAccount, SubAccountPage> = {
  name: 'subAccounts.listAll',
  pagesOf: list,
  request: v.strictObject({ ...params, ...listAllParams }),
  itemsOf: ({ data }) => data,
  keyOf: ({ id }) => id,
};
