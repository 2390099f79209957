// Written by `npm run docs`: the methods of `exchange.mining`.
import type { CallOptions } from '../../client/index.js';
import type { ListAccountsParams, MiningAccountPage } from './list-accounts.js';
import type { MiningAccount } from '../../model/mining-account.js';
import type { Observable } from 'rxjs';

/** The methods of `exchange.mining`. */
export interface MiningEndpoints {
  /**
   * Lists a page of the accounts of the mining pool, newest first. The last page has fewer than `limit` accounts.
   * {@link listAllAccounts} reads every page.
   *
   * `POST /api/v4/mining/accounts` · signed · 1000 requests / 10 s · a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/mining.md#mininglistaccounts
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.mining.listAccounts().subscribe(({ data }) => console.log(data.map(({ name }) => name)));
   * ```
   */
  readonly listAccounts: (params?: ListAccountsParams, options?: CallOptions) => Observable<MiningAccountPage>;
  /**
   * Emits the accounts of the mining pool one by one, newest first, and completes. It reads pages of 100 by
   * {@link listAccounts}, and the next page once the accounts of the previous one were taken: `take(5)` reads one page.
   *
   * The exchange lists at most 10100 accounts: {@link RequestError} after them where there may be more.
   *
   * @throws the errors of {@link listAccounts}
   * @see docs/reference/mining.md#mininglistallaccounts
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.mining.listAllAccounts().subscribe(({ name }) => console.log(name));
   * ```
   */
  readonly listAllAccounts: (options?: CallOptions) => Observable<MiningAccount>;
}
