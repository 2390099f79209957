import * as v from 'valibot';
import type { PagedList } from '../../endpoint/index.js';
import type { MiningAccount } from '../../model/accounts.js';
import { listAllParams, type AllItemsParams } from '../list-params.js';
import { listAccounts, type MiningAccountPage } from './list-accounts.js';

/** Parameters of {@link listAllAccounts}. */
export interface ListAllAccountsParams extends AllItemsParams {}

/**
 * Emits the accounts of the mining pool one by one, newest first, and completes.
 *
 * @example
 * ```ts
 * exchange.mining.listAllAccounts().subscribe(({ name }) => console.log(name));
 * ```
 */
export const listAllAccounts: PagedList<ListAllAccountsParams, MiningAccount, MiningAccountPage> = {
  name: 'mining.listAllAccounts',
  pagesOf: listAccounts,
  request: v.strictObject(listAllParams),
  itemsOf: ({ data }) => data,
  keyOf: ({ name, createdAt }) => `${createdAt ?? ''} ${name}`,
};
