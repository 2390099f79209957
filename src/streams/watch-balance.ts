// watchBalance(): polls the balance of a wallet, or of all of them, and emits it with its changes.
import { forkJoin, type Observable } from 'rxjs';
import { checkByRules, oneOf, RequestError, type OptionRules } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type { Balance } from '../model/balance.js';
import type { CollateralBalance } from '../model/collateral-balance.js';
import type { TradeBalance } from '../model/trade-balance.js';
import type { BalanceChange } from './balance-changes.js';
import type {
  AllBalancesUpdate,
  BalanceUpdate,
  CollateralBalanceUpdate,
  SpotBalanceUpdate,
  WalletName,
} from './balance-updates.js';
import { polledState, type StateUpdate } from './polled-state.js';
import { watchRules, type PollsOptions, type WatchOptions } from './polls.js';
import {
  collateralWallet,
  mainWallet,
  nextWallet,
  spotWallet,
  type SpotBalanceChange,
  type WalletState,
} from './wallets.js';

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
   * The pause between two polls, milliseconds, above 0.
   *
   * @default 5000
   */
  readonly everyMs?: number;
}

const rules: OptionRules<WatchBalanceOptions> = {
  ...watchRules,
  wallet: oneOf('main', 'spot', 'collateral', 'all'),
};

/** Polls the balance of the spot wallet: what spot orders can spend, and what open orders reserve. */
export function watchBalance(
  exchange: Pick<Exchange, 'spot'>,
  options: WatchBalanceOptions & { readonly wallet: 'spot' },
): Observable<SpotBalanceUpdate>;
/** Polls the balance of the collateral wallet. */
export function watchBalance(
  exchange: Pick<Exchange, 'collateral'>,
  options: WatchBalanceOptions & { readonly wallet: 'collateral' },
): Observable<CollateralBalanceUpdate>;
/** Polls the balances of the main, the spot and the collateral wallet together. */
export function watchBalance(
  exchange: Pick<Exchange, 'account' | 'spot' | 'collateral'>,
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
  options?: WatchBalanceOptions & { readonly wallet?: 'main' },
): Observable<BalanceUpdate>;
export function watchBalance(
  { account, spot, collateral }: Partial<Pick<Exchange, 'account' | 'spot' | 'collateral'>>,
  options: WatchBalanceOptions = {},
): Observable<BalanceUpdate | SpotBalanceUpdate | CollateralBalanceUpdate | AllBalancesUpdate> {
  checkByRules('watchBalance', options, rules);
  const { wallet = 'main', everyMs = 5000, ...others } = options;
  const polling = { ...others, everyMs };
  switch (wallet) {
    case 'main':
      return watchMain(given('account', account), polling);
    case 'spot':
      return watchSpot(given('spot', spot), polling);
    case 'collateral':
      return watchCollateral(given('collateral', collateral), polling);
    case 'all':
      return watchAll(
        { account: given('account', account), spot: given('spot', spot), collateral: given('collateral', collateral) },
        polling,
      );
  }
}

/** The compiler requires the group of the wallet; JavaScript does not. */
function given<Group>(name: string, group: Group | undefined): Group {
  if (group !== undefined) return group;
  throw new RequestError('watchBalance', [{ field: 'exchange', message: `has no group ${name}` }]);
}

const nothing = { balance: {}, changes: [], staleAssets: [] };

function withoutChanges<State extends { readonly changes: readonly unknown[] }>(state: State): State {
  return { ...state, changes: [] };
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

function watchSpot(spot: Exchange['spot'], options: PollsOptions): Observable<SpotBalanceUpdate> {
  return polledState<TradeBalance, Omit<SpotBalanceUpdate, keyof StateUpdate>>(
    {
      read: (call) => spot.balance(call),
      nothing,
      next: (polled, last) => nextWallet(spotWallet, polled, last),
      withoutChanges,
    },
    options,
  );
}

function watchCollateral(
  collateral: Exchange['collateral'],
  options: PollsOptions,
): Observable<CollateralBalanceUpdate> {
  return polledState<CollateralBalance, Omit<CollateralBalanceUpdate, keyof StateUpdate>>(
    {
      read: (call) => collateral.balance({}, call),
      nothing,
      next: (polled, last) => nextWallet(collateralWallet, polled, last),
      withoutChanges,
    },
    options,
  );
}

type AllBalances = Omit<AllBalancesUpdate, keyof StateUpdate>;

function watchAll(
  { account, spot, collateral }: Pick<Exchange, 'account' | 'spot' | 'collateral'>,
  options: PollsOptions,
): Observable<AllBalancesUpdate> {
  return polledState<AllBalances['balance'], AllBalances>(
    {
      read: (call) =>
        forkJoin({
          main: account.mainBalance(call),
          spot: spot.balance(call),
          collateral: collateral.balance({}, call),
        }),
      nothing: { ...nothing, balance: { main: {}, spot: {}, collateral: {} } },
      next: nextOfAll,
      withoutChanges,
    },
    options,
  );
}

function nextOfAll(polled: AllBalances['balance'], last: AllBalances | undefined): AllBalances {
  const staleIn = (wallet: WalletName) =>
    (last?.staleAssets ?? []).filter((one) => one.wallet === wallet).map(({ asset }) => asset);
  const lastOf = <Name extends WalletName>(wallet: Name) =>
    last === undefined ? undefined : { balance: last.balance[wallet], staleAssets: staleIn(wallet) };
  const main = nextWallet(mainWallet, polled.main, lastOf('main'));
  const spot = nextWallet(spotWallet, polled.spot, lastOf('spot'));
  const collateral = nextWallet(collateralWallet, polled.collateral, lastOf('collateral'));
  const parts = [inWallet('main', main), inWallet('spot', spot), inWallet('collateral', collateral)];
  return {
    balance: { main: main.balance, spot: spot.balance, collateral: collateral.balance },
    changes: parts.flatMap(({ changes }) => changes),
    staleAssets: parts.flatMap(({ staleAssets }) => staleAssets),
  };
}

function inWallet(
  wallet: WalletName,
  { changes, staleAssets }: WalletState<unknown, BalanceChange | SpotBalanceChange>,
): Pick<AllBalances, 'changes' | 'staleAssets'> {
  return {
    changes: changes.map((change) => ({ ...change, wallet })),
    staleAssets: staleAssets.map((asset) => ({ wallet, asset })),
  };
}
