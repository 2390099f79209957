// watchBalance(): polls the balance of a wallet, or of all of them, and emits it with its changes.
import type { Observable } from 'rxjs';
import { oneOf, optionsOf, parse, RequestError, trueOrFalse } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type {
  AllBalancesUpdate,
  BalanceUpdate,
  CollateralBalanceUpdate,
  SpotBalanceUpdate,
} from './balance-updates.js';
import {
  collateralWallet,
  liveCollateralBalance,
  liveSpotBalance,
  mainWallet,
  ofAllWallets,
  ofWallet,
  spotWallet,
} from './wallets.js';
import { watchedState, watchRules, type WatchOptions } from './watched-state.js';

/** Options of {@link watchBalance}. */
export interface WatchBalanceOptions extends WatchOptions {
  /**
   * The wallet whose balance is polled. Trading changes `spot` and `collateral`; deposits and withdrawals change
   * `main`. `all` reads the three together.
   *
   * @default 'main'
   */
  readonly wallet?: 'main' | 'spot' | 'collateral' | 'all';
  /**
   * `true` takes the balances from the live connection, and polls while it has none: at first, while it is down, or when
   * the exchange refuses the account. `everyMs` is then also the minimum time between two live values, and how long the
   * live connection may be interrupted before polls start. While live, `refreshOn` has no effect.
   *
   * @default false
   */
  readonly live?: boolean;
}

const balanceOptions = optionsOf<WatchBalanceOptions>({
  ...watchRules,
  wallet: oneOf('main', 'spot', 'collateral', 'all'),
  live: trueOrFalse,
});

const notPushed = 'true is for the wallets spot, collateral and all: the exchange does not push the main balance';

/** Watches the balance of the spot wallet: what spot orders can spend, and what open orders reserve. */
export function watchBalance(
  exchange: Pick<Exchange, 'spot'> & Partial<Pick<Exchange, 'live'>>,
  options: WatchBalanceOptions & { readonly wallet: 'spot' },
): Observable<SpotBalanceUpdate>;
/** Watches the balance of the collateral wallet. */
export function watchBalance(
  exchange: Pick<Exchange, 'collateral'> & Partial<Pick<Exchange, 'live'>>,
  options: WatchBalanceOptions & { readonly wallet: 'collateral' },
): Observable<CollateralBalanceUpdate>;
/** Watches the balances of the main, the spot and the collateral wallet together. */
export function watchBalance(
  exchange: Pick<Exchange, 'account' | 'spot' | 'collateral'> & Partial<Pick<Exchange, 'live'>>,
  options: WatchBalanceOptions & { readonly wallet: 'all' },
): Observable<AllBalancesUpdate>;
/**
 * Polls the main balance, or that of another wallet, and emits it after every poll, with its changes and the time of the
 * request. A failed poll does not end the stream: it marks the balance as stale, and the pauses grow until a poll
 * succeeds. For changes only, filter by `changes.length > 0`.
 *
 * Subscribers of the same observable share its polls, a late subscriber gets the last balance at once, and the last one
 * to unsubscribe stops the polls. At most one poll is in flight.
 *
 * ```text
 * polls:            1---2---#------3---    #: failure
 * watchBalance():   1---2---s------3---    s: the balance of poll 2, stale, with the error
 * ```
 *
 * Sends `POST /api/v4/main-account/balance`; for `wallet: 'spot'`
 * `POST /api/v4/trade-account/balance`, for `'collateral'` `POST /api/v4/collateral-account/balance`, for `'all'` the
 * three, which fail together.
 *
 * With `live: true`, the exchange pushes the balances of the spot and the collateral wallet when they change. It does not
 * push the main balance, which is polled for `wallet: 'all'`; `wallet: 'main'` has no `live: true`.
 *
 * The observable fails with {@link RequestError} when the client has no credentials, and with the error of
 * `pauseWhile`.
 *
 * @example
 * ```ts
 * import { createExchange, watchBalance } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import { take } from 'rxjs';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * watchBalance(exchange, { everyMs: 1000 })
 *   .pipe(take(1))
 *   .subscribe(({ balance }) => console.log(balance['BTC']?.main_balance ?? '0'));
 * watchBalance(exchange, { wallet: 'spot' })
 *   .pipe(take(1))
 *   .subscribe(({ balance }) => console.log(balance['BTC']?.available ?? '0'));
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function watchBalance(
  exchange: Pick<Exchange, 'account'>,
  options?: WatchBalanceOptions & { readonly wallet?: 'main'; readonly live?: false },
): Observable<BalanceUpdate>;
export function watchBalance(
  exchange: Partial<Pick<Exchange, 'account' | 'spot' | 'collateral' | 'live'>>,
  options: WatchBalanceOptions = {},
): Observable<BalanceUpdate | SpotBalanceUpdate | CollateralBalanceUpdate | AllBalancesUpdate> {
  const { wallet = 'main', everyMs = 5000, live: isLive, ...others } = parse('watchBalance', balanceOptions, options);
  const { account, spot, collateral } = exchange;
  const polling = { ...others, everyMs };
  const live = isLive === true ? exchange.live : undefined;
  if (isLive === true && live === undefined) throw refusal('exchange', 'has no live connection');
  if (wallet === 'main' && isLive === true) throw refusal('live', notPushed);
  if (wallet === 'main' && account !== undefined)
    return watchedState(ofWallet(mainWallet, account.mainBalance), polling);
  if (wallet === 'spot' && spot !== undefined)
    return watchedState(ofWallet(spotWallet, spot.balance, live && liveSpotBalance(live, everyMs)), polling);
  if (wallet === 'collateral' && collateral !== undefined) {
    const live$ = live && liveCollateralBalance(live, everyMs);
    return watchedState(
      ofWallet(collateralWallet, (call) => collateral.balance({}, call), live$),
      polling,
    );
  }
  if (account !== undefined && spot !== undefined && collateral !== undefined)
    return watchedState(ofAllWallets({ account, spot, collateral }, polling, live), polling);
  throw refusal('exchange', `lacks a group of endpoints for wallet ${wallet}`);
}

function refusal(field: string, message: string): RequestError {
  return new RequestError('watchBalance', [{ field, message }]);
}
