import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { type MiningAccount, miningAccountSchema } from '../../model/accounts.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import { isRequestedPage } from '../agrees-on.js';
import { type ParamsOf, text } from '../fields.js';
import { type AllItemsParams, listAllParams, pageParams, type PageParams } from '../list-params.js';
import { dataOf } from '../responses.js';
import { accountName, rateLimit } from './params.js';

const params = {
  /** Only the account with exactly this name, at most 255 characters. */
  name: v.exactOptional(accountName),
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
  rateLimit,
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

const createAccountParams = {
  /** Name, unique among your accounts. */
  name: accountName,
  /** Code of who referred you. */
  referralCode: v.exactOptional(v.pipe(text, v.maxLength(50, 'must be at most 50 characters'))),
};

/** Parameters of {@link createAccount}. */
export interface CreateAccountParams extends ParamsOf<typeof createAccountParams> {}

/**
 * Creates an account of the mining pool. No request removes it. After a lost response it is looked up in {@link listAccounts},
 * by its name.
 *
 * @example
 * ```ts
 * exchange.mining.createAccount({ name: 'rig-2' }).subscribe(({ name }) => console.log(name));
 * ```
 */
export const createAccount: Endpoint<CreateAccountParams, MiningAccount> = defineEndpoint({
  name: 'mining.createAccount',
  path: '/api/v4/mining/accounts/create',
  rateLimit,
  safety: 'keyed',
  confidential: true,
  request: v.strictObject(createAccountParams),
  response: dataOf(miningAccountSchema),
  errorCodes: [{ status: 400, field: 'name', reason: 'duplicate' }],
  recordLookup: recordLookup({
    compares: 'name with mining.listAccounts',
    list: listAccounts,
    filterOf: ({ name: wanted }) => ({ name: wanted }),
    itemsOf: ({ data }) => data,
    matches: (account, requested) => account.name === requested['name'],
    outputOf: (account) => account,
  }),
});
