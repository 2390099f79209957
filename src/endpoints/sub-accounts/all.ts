import type { Observable } from 'rxjs';
import type { CallOptions } from '../../call-limits.js';
import type { SubAccount } from '../../model/sub-account.js';
import type { Session } from '../../session.js';
import { allItems } from '../all-items.js';
import { list, type ListSubAccountsParams } from './list.js';

/** Parameters of {@link allSubAccounts}. */
export interface AllSubAccountsParams extends Pick<ListSubAccountsParams, 'search'> {}

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
 * exchange.subAccounts.all({ search: 'bot' }).subscribe(({ alias }) => console.log(alias));
 * ```
 */
export function allSubAccounts(
  session: Pick<Session, 'call'>,
  params: AllSubAccountsParams = {},
  options: CallOptions = {},
): Observable<SubAccount> {
  return allItems(
    list.name,
    ({ id }: SubAccount) => id,
    (page) => session.call(list, { ...params, ...page }, options),
  );
}
