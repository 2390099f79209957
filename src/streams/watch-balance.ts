// watchBalance(): polls the balance of a wallet, or of all of them, and emits it with its changes.
import type { Observable } from 'rxjs';
import { oneOf, optionsOf, parse, RequestError, trueOrFalse } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type { Live } from '../live/index.js';
import type { Balance } from '../model/balance.js';
import type { CollateralBalance } from '../model/collateral-balance.js';
import type { TradeBalance } from '../model/trade-balance.js';
import type {
  AllBalancesUpdate,
  BalanceUpdate,
  CollateralBalanceUpdate,
  SpotBalanceUpdate,
} from './balance-updates.js';
import { watchAll } from './all-wallets.js';
import { liveCollateralBalance, liveSpotBalance } from './live-account.js';
import { liveIn, type LiveSource, type WatchLiveOptions } from './live-or-polls.js';
import { polledState, type StateUpdate } from './polled-state.js';
import { watchRules, type PollsOptions, type WatchOptions } from './polls.js';
import { collateralWallet, mainWallet, nextWallet, nothing, spotWallet, withoutChanges } from './wallets.js';

/** Options of {@link watchBalance}. */
export interface WatchBalanceOptions extends WatchOptions, WatchLiveOptions {
  /**
   * The wallet whose balance is polled. Trading changes `spot` and `collateral`; deposits and withdrawals change
   * `main`. `all` reads the three together.
   *
   * @default 'main'
   */
  readonly wallet?: 'main' | 'spot' | 'collateral' | 'all';
  /**
   * The pause between two polls, milliseconds, above 0.
   *
   * @default 5000
   */
  readonly everyMs?: number;
}

const balanceOptions = optionsOf<WatchBalanceOptions>({
  ...watchRules,
  wallet: oneOf('main', 'spot', 'collateral', 'all'),
  live: trueOrFalse,
});

/** The options of a client without a live connection, or of a wallet that the exchange does not push. */
type PolledBalanceOptions = WatchBalanceOptions & { readonly live?: false };

/** Polls the balance of the spot wallet: what spot orders can spend, and what open orders reserve. */
export function watchBalance(
  exchange: Pick<Exchange, 'spot'>,
  options: PolledBalanceOptions & { readonly wallet: 'spot' },
): Observable<SpotBalanceUpdate>;
/** Polls the balance of the spot wallet, or takes it from the live connection. */
export function watchBalance(
  exchange: Pick<Exchange, 'spot' | 'live'>,
  options: WatchBalanceOptions & { readonly wallet: 'spot' },
): Observable<SpotBalanceUpdate>;
/** Polls the balance of the collateral wallet. */
export function watchBalance(
  exchange: Pick<Exchange, 'collateral'>,
  options: PolledBalanceOptions & { readonly wallet: 'collateral' },
): Observable<CollateralBalanceUpdate>;
/** Polls the balance of the collateral wallet, or takes it from the live connection. */
export function watchBalance(
  exchange: Pick<Exchange, 'collateral' | 'live'>,
  options: WatchBalanceOptions & { readonly wallet: 'collateral' },
): Observable<CollateralBalanceUpdate>;
/** Polls the balances of the main, the spot and the collateral wallet together. */
export function watchBalance(
  exchange: Pick<Exchange, 'account' | 'spot' | 'collateral'>,
  options: PolledBalanceOptions & { readonly wallet: 'all' },
): Observable<AllBalancesUpdate>;
/** Polls the balances of all wallets, or takes those of the spot and the collateral wallet from the live connection. */
export function watchBalance(
  exchange: Pick<Exchange, 'account' | 'spot' | 'collateral' | 'live'>,
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
 * Sends `POST /api/v4/main-account/balance` with priority `background`; for `wallet: 'spot'`
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
  options?: PolledBalanceOptions & { readonly wallet?: 'main' },
): Observable<BalanceUpdate>;
export function watchBalance(
  exchange: Partial<Pick<Exchange, 'account' | 'spot' | 'collateral'>> & LiveSource,
  options: WatchBalanceOptions = {},
): Observable<BalanceUpdate | SpotBalanceUpdate | CollateralBalanceUpdate | AllBalancesUpdate> {
  const { wallet = 'main', everyMs = 5000, ...others } = parse('watchBalance', balanceOptions, options);
  const { account, spot, collateral } = exchange;
  const polling = { ...others, everyMs };
  const live = liveIn('watchBalance', exchange, options);
  switch (wallet) {
    case 'main':
      if (live !== undefined) throw noMainBalance();
      return watchMain(given('account', account), polling);
    case 'spot':
      return watchSpot(given('spot', spot), polling, live);
    case 'collateral':
      return watchCollateral(given('collateral', collateral), polling, live);
    case 'all':
      return watchAll(
        { account: given('account', account), spot: given('spot', spot), collateral: given('collateral', collateral) },
        polling,
        live,
      );
  }
}

/** The compiler requires the group of the wallet; JavaScript does not. */
function given<Group>(name: string, group: Group | undefined): Group {
  if (group !== undefined) return group;
  throw new RequestError('watchBalance', [{ field: 'exchange', message: `has no group ${name}` }]);
}

function noMainBalance(): RequestError {
  const message = 'true is for the wallets spot, collateral and all: the exchange does not push the main balance';
  return new RequestError('watchBalance', [{ field: 'live', message }]);
}

function watchMain(account: Exchange['account'], options: PollsOptions): Observable<BalanceUpdate> {
  return polledState<Balance, Omit<BalanceUpdate, keyof StateUpdate>>(
    {
      read: (call) => account.mainBalance(call),
      nothing,
      next: (polled, last) => nextWallet(mainWallet, polled, last),
      withoutChanges,
    },
    options,
  );
}

function watchSpot(
  spot: Exchange['spot'],
  options: PollsOptions,
  live: Live | undefined,
): Observable<SpotBalanceUpdate> {
  return polledState<TradeBalance, Omit<SpotBalanceUpdate, keyof StateUpdate>>(
    {
      read: (call) => spot.balance(call),
      nothing,
      next: (polled, last) => nextWallet(spotWallet, polled, last),
      withoutChanges,
      live$: live && liveSpotBalance(live, options.everyMs),
    },
    options,
  );
}

function watchCollateral(
  collateral: Exchange['collateral'],
  options: PollsOptions,
  live: Live | undefined,
): Observable<CollateralBalanceUpdate> {
  return polledState<CollateralBalance, Omit<CollateralBalanceUpdate, keyof StateUpdate>>(
    {
      read: (call) => collateral.balance({}, call),
      nothing,
      next: (polled, last) => nextWallet(collateralWallet, polled, last),
      withoutChanges,
      live$: live && liveCollateralBalance(live, options.everyMs),
    },
    options,
  );
}
