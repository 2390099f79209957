import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { miningAccountSchema, type MiningAccount } from '../../model/accounts.js';
import { isRequestedPage, pageOf, type PageOf } from '../../model/paging.js';
import { text, type ParamsOf } from '../fields.js';
import { pageLimit, offsetParam, type OffsetParam } from '../list-params.js';

/** Spec, Limits. */
const maxNameLength = 255;

const params = {
  /** Only the account with exactly this name, at most 255 characters. */
  name: v.exactOptional(v.pipe(text, v.maxLength(maxNameLength, `must be at most ${maxNameLength} characters`))),
  /**
   * Maximum number of accounts, 1 to 100.
   *
   * @default 30
   */
  limit: pageLimit,
};

/** Parameters of {@link listAccounts}. */
export interface ListAccountsParams extends OffsetParam, ParamsOf<typeof params> {}

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
  request: v.strictObject({ ...params, ...offsetParam }),
  response: pageOf(miningAccountSchema),
  matchesRequest: isRequestedPage,
});
