import type { Observable } from 'rxjs';
import type { CallOptions, Client } from '../../client/index.js';
import type { SubAccount } from '../../model/sub-account.js';
import { allItems } from '../all-items.js';
import { list, type ListParams } from './list.js';

/** Parameters of {@link listAll}. */
export interface ListAllParams extends Pick<ListParams, 'search'> {}

/**
 * Emits the sub-accounts of the main account one by one, and completes. The list is read a page of 100 at a time, the
 * next one when the items before have been taken: `take(5)` reads one page. Fails with {@link RequestError} after 10100
 * when there are more, which cannot be asked for.
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
 * exchange.subAccounts.listAll({ search: 'bot' }).subscribe(({ alias }) => console.log(alias));
 * ```
 */
export function listAll(
  client: Pick<Client, 'call'>,
  params: ListAllParams = {},
  options: CallOptions = {},
): Observable<SubAccount> {
  return allItems(
    list.name,
    ({ id }: SubAccount) => id,
    (page) => client.call(list, { ...params, ...page }, options),
  );
}
