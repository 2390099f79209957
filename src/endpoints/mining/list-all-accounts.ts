import type { Observable } from 'rxjs';
import type { CallOptions, Client } from '../../client/index.js';
import type { MiningAccount } from '../../model/mining-account.js';
import { allItems } from '../all-items.js';
import { listAccounts } from './list-accounts.js';

/**
 * Emits the accounts of the mining pool one by one, newest first, and completes. The list is read a page of 100 at a
 * time, the next one when the items before have been taken: `take(5)` reads one page. Fails with {@link RequestError}
 * after 10100 when there are more, which cannot be asked for.
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
 * exchange.mining.listAllAccounts().subscribe(({ name }) => console.log(name));
 * ```
 */
export function listAllAccounts(client: Pick<Client, 'call'>, options: CallOptions = {}): Observable<MiningAccount> {
  return allItems(
    listAccounts.name,
    ({ name, createdAt }: MiningAccount) => `${createdAt ?? ''} ${name}`,
    (page) => client.call(listAccounts, page, options),
  );
}
