import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../define-endpoint.js';
import { isPageAsked, pageFields, pageOf } from '../../model/paging.js';
import { subAccountSchema } from '../../model/sub-account.js';
import { text } from '../fields.js';

const request = v.strictObject({
  /** Only sub-accounts that match this term. */
  search: v.exactOptional(text),
  /** How many, 1 to 100. Default 30. */
  limit: pageFields.limit,
  /** How many to leave out first, 0 to 10000. Default 0. */
  offset: pageFields.offset,
});

const response = pageOf(subAccountSchema);

/** Parameters of {@link list}. */
export interface ListParams extends v.InferInput<typeof request> {}

/** A page of sub-accounts. */
export interface SubAccountPage extends v.InferOutput<typeof response> {}

/**
 * Lists the sub-accounts of the main account, a page at a time.
 *
 * Errors: those of every call, see {@link AnyExchangeError}.
 *
 * `POST /api/v4/sub-account/list` · private · limit group `subAccounts`, 1000 requests / 10 s · repeated after 503
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.subAccounts.list({ limit: 10 }).subscribe(({ data }) => console.log(data.map(({ alias }) => alias)));
 * ```
 */
export const list: Endpoint<ListParams, SubAccountPage> = defineEndpoint({
  name: 'subAccounts.list',
  method: 'POST',
  path: '/api/v4/sub-account/list',
  rateLimit: { limit: 1000, windowMs: 10_000 },
  authentication: 'signed',
  safety: 'read',
  request,
  response,
  matchesRequest: isPageAsked,
});
