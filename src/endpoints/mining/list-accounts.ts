import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../define-endpoint.js';
import { miningAccountSchema } from '../../model/mining-account.js';
import { isPageAsked, pageFields, pageOf } from '../../model/paging.js';
import { text } from '../fields.js';

/** Spec, Limits. */
const maxNameLength = 255;

const request = v.strictObject({
  /** Only the account of exactly this name, at most 255 characters. */
  name: v.exactOptional(v.pipe(text, v.maxLength(maxNameLength, `must be at most ${maxNameLength} characters`))),
  ...pageFields,
});

const response = pageOf(miningAccountSchema);

/** Parameters of {@link listAccounts}. */
export interface ListAccountsParams extends v.InferInput<typeof request> {}

/** A page of mining accounts. */
export interface MiningAccountPage extends v.InferOutput<typeof response> {}

/**
 * Lists the accounts of the mining pool, newest first, a page at a time. The last page is the one with fewer than
 * `limit` items.
 *
 * Errors: those of every call, see {@link AnyExchangeError}.
 *
 * `POST /api/v4/mining/accounts` · private · limit group `miningAccounts`, 1000 requests / 10 s · repeated after 503
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.mining.listAccounts().subscribe(({ data }) => console.log(data.map(({ name }) => name)));
 * ```
 */
export const listAccounts: Endpoint<ListAccountsParams, MiningAccountPage> = defineEndpoint({
  name: 'mining.listAccounts',
  method: 'POST',
  path: '/api/v4/mining/accounts',
  rateLimit: { limit: 1000, windowMs: 10_000 },
  authentication: 'signed',
  safety: 'read',
  request,
  response,
  matchesRequest: isPageAsked,
});
