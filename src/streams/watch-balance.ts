// watchBalance(): polls the balance of a wallet, or of all of them, and emits it with its changes.
import { combineLatest, defer, map, NEVER, type Observable } from 'rxjs';
import { anObservable, durationAbove0, oneOf, optionsOf, parse, RequestError, trueOrFalse } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type { CollateralAssets, CollateralBalance } from '../model/balances.js';
import { liveBalances, watchWallet } from './watch-wallet.js';
import {
  collateralWallet,
  mainWallet,
  spotWallet,
  type BalanceUpdate,
  type CollateralBalanceUpdate,
  type SpotBalanceUpdate,
} from './wallets.js';

/** Options of {@link watchBalance}. */
export interface WatchBalanceOptions {
  /**
   * The wallet whose balance is polled. Trading changes `spot` and `collateral`; deposits and withdrawals change
   * `main`. `all` watches the three together.
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
  /**
   * The pause between two polls, milliseconds, above 0. After a failed poll, a random pause is added: at most `everyMs`,
   * twice as much with each further failure, and at most 60 s.
   *
   * @default 5000
   */
  readonly everyMs?: number;
  /**
   * Each value polls at once, such as after an order; during a poll, directly after it. When this observable fails or
   * completes, the polls go on every `everyMs`. To keep it alive, handle its errors first, such as by `retry`.
   *
   * @default none
   */
  readonly refreshOn?: Observable<unknown>;
}

const balanceOptions = optionsOf<WatchBalanceOptions>({
  wallet: oneOf('main', 'spot', 'collateral', 'all'),
  live: trueOrFalse,
  everyMs: durationAbove0,
  refreshOn: anObservable(),
});

/**
 * What {@link watchBalance} emits of all wallets: the last update of each. Each wallet is read by a request of its own, so
 * a transfer between two of them appears in two updates. A wallet that has not changed since the previous update has no
 * `changes`.
 */
export interface AllBalancesUpdate {
  /** The main wallet. */
  readonly main: BalanceUpdate;
  /** The spot wallet. */
  readonly spot: SpotBalanceUpdate;
  /** The collateral wallet. */
  readonly collateral: CollateralBalanceUpdate;
}

/** Watches the balance of the spot wallet: what spot orders can spend, and what open orders reserve. */
export function watchBalance(
  exchange: Exchange,
  options: WatchBalanceOptions & { readonly wallet: 'spot' },
): Observable<SpotBalanceUpdate>;
/** Watches the balance of the collateral wallet. */
export function watchBalance(
  exchange: Exchange,
  options: WatchBalanceOptions & { readonly wallet: 'collateral' },
): Observable<CollateralBalanceUpdate>;
/** Watches the balances of the main, the spot and the collateral wallet together. */
export function watchBalance(
  exchange: Exchange,
  options: WatchBalanceOptions & { readonly wallet: 'all' },
): Observable<AllBalancesUpdate>;
/**
 * Polls the main balance, or that of another wallet, and emits it after every poll, with its changes and the time of the
 * request. A failed poll does not end the stream: it marks the balance as stale, and the pauses grow until a poll
 * succeeds. For changes only, filter by `changes.length > 0`.
 *
 * Subscribers of the same observable share its polls, a late subscriber gets the last balance at once, and the last one
 * to unsubscribe stops the polls. At most one poll of a wallet is in flight.
 *
 * ```text
 * polls:            1---2---#------3---    #: failure
 * watchBalance():   1---2---s------3---    s: the balance of poll 2, stale, with the error
 * ```
 *
 * Sends `POST /api/v4/main-account/balance`; for `wallet: 'spot'`
 * `POST /api/v4/trade-account/balance`, for `'collateral'` `POST /api/v4/collateral-account/balance`, for `'all'` the
 * three.
 *
 * With `live: true`, the exchange pushes the balances of the spot and the collateral wallet when they change. It does not
 * push the main balance, which is polled for `wallet: 'all'`; `wallet: 'main'` has no `live: true`.
 *
 * The observable fails with {@link RequestError} when the client has no credentials.
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
  exchange: Exchange,
  options?: WatchBalanceOptions & { readonly wallet?: 'main'; readonly live?: false },
): Observable<BalanceUpdate>;
export function watchBalance(
  exchange: Exchange,
  options: WatchBalanceOptions = {},
): Observable<BalanceUpdate | SpotBalanceUpdate | CollateralBalanceUpdate | AllBalancesUpdate> {
  const parsed = parse('watchBalance', balanceOptions, options);
  const { wallet = 'main', live: isLive = false, everyMs = 5000, refreshOn = NEVER } = parsed;
  if (isLive && wallet === 'main') {
    const message = 'true is for spot, collateral and all: the exchange does not push the main balance';
    throw new RequestError('watchBalance', [{ field: 'live', message }]);
  }
  const polling = { everyMs, refreshOn };
  const main = () => watchWallet(mainWallet, exchange.account.mainBalance, polling);
  const spot = () => {
    const live$ = isLive ? exchange.live.my.balances() : NEVER;
    const balance$ = live$.pipe(liveBalances(everyMs, ({ value }) => value));
    return watchWallet(spotWallet, exchange.spot.balance, polling, balance$);
  };
  const collateral = () => {
    const live$ = isLive ? exchange.live.my.marginBalances() : NEVER;
    const balance$ = live$.pipe(liveBalances(everyMs, ({ value }) => amountsOf(value)));
    return watchWallet(collateralWallet, (call) => exchange.collateral.balance({}, call), polling, balance$);
  };
  switch (wallet) {
    case 'main':
      return main();
    case 'spot':
      return spot();
    case 'collateral':
      return collateral();
    case 'all':
      return together({ main: main(), spot: spot(), collateral: collateral() });
  }
}

/** The amounts of the collateral wallet; `undefined` where one is unknown. */
function amountsOf(assets: CollateralAssets): CollateralBalance | undefined {
  const amounts = Object.values(assets).flatMap(({ asset, balance }) =>
    balance === undefined ? [] : [[asset, balance] as const],
  );
  return amounts.length < Object.keys(assets).length ? undefined : Object.fromEntries(amounts);
}

/** An update for each update of one wallet, after the first of all three. */
function together(wallets: {
  readonly [Name in keyof AllBalancesUpdate]: Observable<AllBalancesUpdate[Name]>;
}): Observable<AllBalancesUpdate> {
  return defer(() => {
    let last: AllBalancesUpdate | undefined;
    return combineLatest(wallets).pipe(
      map((now) => {
        // The first update has no changes, even if one wallet was read more often than another.
        const { main, spot, collateral } = last ?? now;
        last = now;
        return {
          main: onlyNew(now.main, main),
          spot: onlyNew(now.spot, spot),
          collateral: onlyNew(now.collateral, collateral),
        };
      }),
    );
  });
}

function onlyNew<Update extends BalanceUpdate | SpotBalanceUpdate | CollateralBalanceUpdate>(
  update: Update,
  last: Update | undefined,
): Update {
  return update === last ? { ...update, changes: [] } : update;
}
