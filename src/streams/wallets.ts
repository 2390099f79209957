// The wallets of an account: how the balance of each is read, what the live connection has of it, and what changes.
import {
  catchError,
  combineLatest,
  connect,
  distinctUntilChanged,
  forkJoin,
  map,
  of,
  pipe,
  switchMap,
  throwError,
  type Observable,
  type OperatorFunction,
} from 'rxjs';
import { isExchangeError } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import { valuesEvery, type AccountStatus, type Live } from '../live/index.js';
import type { Balance, CollateralBalance, TradeBalance } from '../model/balances.js';
import { decimal, formatDecimal } from '../model/decimal.js';
import { noteUnreadable, unreadableIn } from '../model/unreadable.js';
import type { AllBalancesUpdate, BalanceChange, SpotBalanceChange, WalletName } from './balance-updates.js';
import { polls, type PollsOptions, type Read, type StateSource, type StateUpdate } from './watched-state.js';

/** The balance of one wallet after a poll. */
export interface WalletState<Balances, Change> {
  readonly balance: Balances;
  readonly changes: readonly Change[];
  readonly staleAssets: readonly string[];
}

/** A wallet whose balance is a map from asset to entry. */
export interface Wallet<Entry, Change extends BalanceChange> {
  /** The entry of an asset that the exchange omits. */
  readonly zero: Entry;
  readonly changes: (before: Readonly<Record<string, Entry>>, after: Readonly<Record<string, Entry>>) => Change[];
}

export const mainWallet: Wallet<Balance[string], BalanceChange> = {
  zero: { main_balance: '0' },
  changes: (before, after) => amountChanges(before, after, ({ main_balance }) => main_balance),
};

export const spotWallet: Wallet<TradeBalance[string], SpotBalanceChange> = {
  zero: { available: '0', freeze: '0' },
  changes: (before, after) =>
    (['available', 'freeze'] as const).flatMap((of) =>
      amountChanges(before, after, (entry) => entry[of]).map((change) => ({ ...change, of })),
    ),
};

export const collateralWallet: Wallet<CollateralBalance[string], BalanceChange> = {
  zero: '0',
  changes: (before, after) => amountChanges(before, after, (amount) => amount),
};

/** A wallet before its first poll. */
const nothing = { balance: {}, changes: [], staleAssets: [] };

/** How the balance of one wallet is watched. */
export function ofWallet<Entry, Change extends BalanceChange>(
  wallet: Wallet<Entry, Change>,
  read: StateSource<Record<string, Entry>, unknown>['read'],
  live$?: Observable<Read<Record<string, Entry>> | undefined>,
): StateSource<Record<string, Entry>, WalletState<Record<string, Entry>, Change>> {
  return { read, live$, nothing, next: (polled, last) => nextWallet(wallet, polled, last) };
}

type AllBalances = Omit<AllBalancesUpdate, keyof StateUpdate>;

/** How the three wallets are watched, which are read together. */
export function ofAllWallets(
  { account, spot, collateral }: Pick<Exchange, 'account' | 'spot' | 'collateral'>,
  options: PollsOptions,
  live: Live | undefined,
): StateSource<AllBalances['balance'], AllBalances> {
  const readMain = account.mainBalance;
  return {
    read: (call) =>
      forkJoin({ main: readMain(call), spot: spot.balance(call), collateral: collateral.balance({}, call) }),
    nothing: { ...nothing, balance: { main: {}, spot: {}, collateral: {} } },
    next: nextOfAll,
    live$: live && liveAllBalances(live, options.everyMs, polls(readMain, options)),
  };
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

/** The state of a wallet after a poll; `last` is `undefined` after the first successful one. */
function nextWallet<Entry, Change extends BalanceChange>(
  { zero, changes }: Wallet<Entry, Change>,
  polled: Record<string, Entry>,
  last: Pick<WalletState<Record<string, Entry>, Change>, 'balance' | 'staleAssets'> | undefined,
): WalletState<Record<string, Entry>, Change> {
  const balance = last === undefined ? polled : keepUnreadable(polled, last, zero);
  return {
    balance,
    changes: last === undefined ? [] : changes(last.balance, balance),
    staleAssets: unreadableIn(balance)?.keys ?? [],
  };
}

/** An asset that could not be read has not disappeared: it keeps its last balance. */
function keepUnreadable<Entry>(
  polled: Record<string, Entry>,
  last: { readonly balance: Readonly<Record<string, Entry>>; readonly staleAssets: readonly string[] },
  zero: Entry,
): Record<string, Entry> {
  const unreadable = unreadableIn(polled);
  if (unreadable?.keys === undefined) return polled;
  const lastUnread = new Set(last.staleAssets);
  const kept = unreadable.keys.flatMap((asset) => {
    const before = Object.hasOwn(last.balance, asset) ? last.balance[asset] : undefined;
    if (before !== undefined) return [[asset, before] as const];
    // The exchange omits zeros: an asset that was neither listed nor unreadable had none.
    return lastUnread.has(asset) ? [] : [[asset, zero] as const];
  });
  const balance = { ...polled, ...Object.fromEntries(kept) };
  noteUnreadable(balance, unreadable);
  return balance;
}

/**
 * The assets whose amount differs, compared as decimals: `1.0` equals `1.00`. The exchange omits assets with a balance
 * of zero, so a missing asset counts as `"0"`. An asset that a response contained but that could not be read ({@link
 * unreadableIn}), or whose amount is `undefined`, has no change, because its amount is unknown.
 */
function amountChanges<Entry>(
  before: Readonly<Record<string, Entry>>,
  after: Readonly<Record<string, Entry>>,
  amountOf: (entry: Entry) => string | undefined,
): BalanceChange[] {
  const assets = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const asset of [...unknownIn(before), ...unknownIn(after)]) assets.delete(asset);
  const amountIn = (balance: Readonly<Record<string, Entry>>, asset: string) => {
    const entry = Object.hasOwn(balance, asset) ? balance[asset] : undefined;
    return entry === undefined ? '0' : amountOf(entry);
  };
  return [...assets].flatMap((asset) => {
    const [was, is] = [amountIn(before, asset), amountIn(after, asset)];
    // Decimals are costly, and most balances are equal as strings.
    if (was === undefined || is === undefined || was === is) return [];
    const delta = formatDecimal(decimal(is).minus(was));
    return delta === '0'
      ? []
      : [{ asset, before: formatDecimal(decimal(was)), after: formatDecimal(decimal(is)), delta }];
  });
}

/** The assets that could not be read and have no earlier balance. */
function unknownIn(balance: object): string[] {
  return (unreadableIn(balance)?.keys ?? []).filter((asset) => !Object.hasOwn(balance, asset));
}

/** What the live connection has of the spot wallet; `undefined` while it may be outdated. */
export function liveSpotBalance({ my }: Live, everyMs: number): Observable<Read<TradeBalance> | undefined> {
  return my.balances().pipe(liveValues(everyMs, ({ balance }) => balance));
}

/** The same of the collateral wallet. */
export function liveCollateralBalance({ my }: Live, everyMs: number): Observable<Read<CollateralBalance> | undefined> {
  return my.marginBalances().pipe(
    liveValues(everyMs, ({ balance }): CollateralBalance | undefined => {
      const amounts = Object.values(balance).flatMap(({ asset, balance: amount }) =>
        amount === undefined ? [] : [[asset, amount] as const],
      );
      return amounts.length < Object.keys(balance).length ? undefined : Object.fromEntries(amounts);
    }),
  );
}

/**
 * The main balance is polled again when the other ones are live again: an older one would take back what polls of all
 * wallets have shown meanwhile.
 *
 * @param main$ polls: the exchange does not push the main balance
 */
function liveAllBalances(
  live: Live,
  everyMs: number,
  main$: ReturnType<typeof polls<Balance>>,
): Observable<Read<AllBalances['balance']> | undefined> {
  return combineLatest([liveSpotBalance(live, everyMs), liveCollateralBalance(live, everyMs)]).pipe(
    connect((pushed$) => {
      const polled$ = pushed$.pipe(
        map(([spot, collateral]) => spot !== undefined && collateral !== undefined),
        distinctUntilChanged(),
        switchMap((isLive) => (isLive ? main$ : of(undefined))),
      );
      return combineLatest([pushed$, polled$]);
    }),
    map(([[spot, collateral], main]) => {
      if (spot === undefined || collateral === undefined || main === undefined || 'error' in main) return undefined;
      return {
        value: { main: main.value, spot: spot.value, collateral: collateral.value },
        readAt: Math.min(main.readAt, spot.readAt, collateral.readAt),
      };
    }),
  );
}

/**
 * An account whose connection the exchange refuses has no live values: the polls report what they make of it.
 *
 * @param valueOf `undefined`: the value says less than a polled one
 */
function liveValues<Update extends AccountStatus, Value>(
  everyMs: number,
  valueOf: (update: Update) => Value | undefined,
): OperatorFunction<Update, Read<Value> | undefined> {
  return pipe(
    valuesEvery(everyMs),
    map((update) => {
      const value = update.status === 'live' ? valueOf(update) : undefined;
      return value === undefined ? undefined : { value, readAt: update.receivedAt };
    }),
    catchError((error: unknown) => (isExchangeError(error) ? of(undefined) : throwError(() => error))),
  );
}
