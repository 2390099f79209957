import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { type MiningAccount, miningAccountSchema } from '../../model/accounts.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import { isRequestedPage } from '../agrees-on.js';
import { type ParamsOf, text } from '../fields.js';
import { type AllItemsParams, listAllParams, pageParams, type PageParams } from '../list-params.js';

/** Spec, Limits. */
const maxNameLength = 255;

const params = {
  /** Only the account with exactly this name, at most 255 characters. */
  name: v.exactOptional(v.pipe(text, v.maxLength(maxNameLength, `must be at most ${maxNameLength} characters`))),
};

/** Parameters of {@link listAccounts}. */
export interface ListAccountsParams extends PageParams, ParamsOf<typeof params> {}

/** A page of mining accounts. */
export interface MiningAccountPage extends PageOf<MiningAccount> {}

/**
 * Lists a page of the accounts of the mining pool, newest first. The last page has fewer than `limit` accounts.
 * {@link listAllAccounts} reads every page.
 *
 * @example
 * ```ts
 * exchange.mining.listAccounts({ limit: 10 }).subscribe(({ data }) => console.log(data.map(({ name }) => name)));
 * ```
 */
export const listAccounts: Endpoint<ListAccountsParams, MiningAccountPage> = defineEndpoint({
  name: 'mining.listAccounts',
  path: '/api/v4/mining/accounts',
  rateLimit: { limit: 1000, windowMs: 10_000 },
  safety: 'read',
  page: { defaultLimit: 30, listAll: 'mining.listAllAccounts' },
  request: v.strictObject({ ...params, ...pageParams }),
  response: pageOf(miningAccountSchema),
  matchesRequest: isRequestedPage,
});

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
