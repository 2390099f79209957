// Written by `npm run docs`: the methods of `exchange.subAccounts`.
import type { CallOptions } from '../../client/index.js';
import type { ListAllParams } from './list-all.js';
import type { ListParams, SubAccountPage } from './list.js';
import type { Observable } from 'rxjs';
import type { SubAccount } from '../../model/sub-account.js';

/** The methods of `exchange.subAccounts`. */
export interface SubAccountsEndpoints {
  /**
   * Lists a page of the sub-accounts of the main account. {@link listAll} reads every page.
   *
   * `POST /api/v4/sub-account/list` · signed · 1000 requests / 10 s · a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/sub-accounts.md#subaccountslist
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.subAccounts.list({ limit: 10 }).subscribe(({ data }) => console.log(data.map(({ alias }) => alias)));
   * ```
   */
  readonly list: (params?: ListParams, options?: CallOptions) => Observable<SubAccountPage>;
  /**
   * Emits the sub-accounts of the main account one by one, and completes. It reads pages of 100 by {@link list}, and the
   * next page once the sub-accounts of the previous one were taken: `take(5)` reads one page.
   *
   * The exchange lists at most 10100 sub-accounts: {@link RequestError} after them where there may be more.
   *
   * @throws the errors of {@link list}
   * @see docs/reference/sub-accounts.md#subaccountslistall
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.subAccounts.listAll({ search: 'bot' }).subscribe(({ alias }) => console.log(alias));
   * ```
   */
  readonly listAll: (params?: ListAllParams, options?: CallOptions) => Observable<SubAccount>;
}
