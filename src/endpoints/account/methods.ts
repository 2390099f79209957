// Written by `npm run docs`: the methods of `exchange.account`.
import type { Balance } from '../../model/balance.js';
import type { CallOptions } from '../../client/index.js';
import type { Observable } from 'rxjs';
import type { WebsocketToken } from './websocket-token.js';

/** The methods of `exchange.account`. */
export interface AccountEndpoints {
  /**
   * Reads the main balance by asset. The exchange leaves out assets whose balance is zero. Deposits arrive on the main
   * balance; trading does not change it. {@link watchBalance} polls it.
   *
   * `POST /api/v4/main-account/balance` · signed · 1000 requests / 10 s (rate limit `mainAccount`) · a read, retried
   * after a transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/account.md#accountmainbalance
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.account.mainBalance().subscribe((balance) => console.log(balance['BTC']?.main_balance ?? '0'));
   * ```
   */
  readonly mainBalance: (options?: CallOptions) => Observable<Balance>;
  /**
   * Issues a token that authorizes a live connection. `exchange.live.my` requests one for each connection, so a program
   * needs it only for a connection of its own. The token is a secret, valid for a short time.
   *
   * `POST /api/v4/profile/websocket_token` · signed · 10 requests / 60 s · a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `validation` (30)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/account.md#accountwebsockettoken
   * @example
   * ```ts
   * import type { Exchange } from 'exchange-rx';
   * import { map } from 'rxjs';
   *
   * const authorize$ = (exchange: Exchange) =>
   *   exchange.account
   *     .websocketToken()
   *     .pipe(map(({ websocket_token }) => ({ id: 1, method: 'authorize', params: [websocket_token, 'public'] })));
   * ```
   */
  readonly websocketToken: (options?: CallOptions) => Observable<WebsocketToken>;
}
