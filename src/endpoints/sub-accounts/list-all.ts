import * as v from 'valibot';
import type { PagedList } from '../../endpoint/index.js';
import type { SubAccount } from '../../model/accounts.js';
import { text, type ParamsOf } from '../fields.js';
import { listAllParams, type AllItemsParams } from '../list-params.js';
import { list, type SubAccountPage } from './list.js';

const params = {
  /** Only sub-accounts that match this search term. */
  search: v.exactOptional(text),
};

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
