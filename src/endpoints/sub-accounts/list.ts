import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRequestedPage, pageOf, type PageOf } from '../../model/paging.js';
import { subAccountSchema, type SubAccount } from '../../model/accounts.js';
import { text, type ParamsOf } from '../fields.js';
import { offsetParam, pageLimit, type OffsetParam } from '../list-params.js';

const params = {
  /** Only sub-accounts that match this search term. */
  search: v.exactOptional(text),
  /**
   * Maximum number of sub-accounts, 1 to 100.
   *
   * @default 30
   */
  limit: pageLimit,
};

/** Parameters of {@link list}. */
export interface ListParams extends OffsetParam, ParamsOf<typeof params> {}

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
  page: { defaultLimit: 30, listAll: 'subAccounts.listAll' },
  request: v.strictObject({ ...params, ...offsetParam }),
  response: pageOf(subAccountSchema),
  matchesRequest: isRequestedPage,
});
