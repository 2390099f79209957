// The wallets of an account: what watchBalance() emits of each, and how one balance follows another.
import type { AnyExchangeError } from '../errors/index.js';
import type { Balance, CollateralBalance, TradeBalance } from '../model/balances.js';
import { decimal, formatDecimal } from '../model/decimal.js';
import { noteUnreadable, unreadableIn } from '../model/unreadable.js';

/** The change of one asset's balance. Amounts are decimal strings. */
export interface BalanceChange {
  /** Ticker, such as `BTC`. */
  readonly asset: string;
  /** The balance before; `"0"` for an asset that was missing. */
  readonly before: string;
  /** The balance now; `"0"` for an asset that is missing. */
  readonly after: string;
  /** `after` minus `before`. */
  readonly delta: string;
}

/** The change of an amount of the spot wallet. */
export interface SpotBalanceChange extends BalanceChange {
  /** `available`: the amount that new orders can spend. `freeze`: the amount that open orders reserve. */
  readonly of: 'available' | 'freeze';
}

/** What {@link watchBalance} emits of any wallet. */
export interface WalletUpdate<Balances, Change> {
  /** The balance by asset; empty before the first successful poll. */
  readonly balance: Balances;
  /** The changes since the previous update; empty in the first update of a subscriber. */
  readonly changes: readonly Change[];
  /**
   * The assets that the last successful poll contained but that could not be read; usually none. They keep the balance
   * of an earlier poll (`"0"` when that poll did not contain them) and have no change. An asset that was never read is
   * missing from `balance`.
   */
  readonly staleAssets: readonly string[];
  /**
   * When the request of the last successful poll was sent, Unix ms by this machine's clock. Of a live value: when it was
   * received. Later changes may be missing. `undefined` before the first value.
   */
  readonly readAt: number | undefined;
  /**
   * Whether the balance may be outdated, because the last poll failed, or because the live connection was interrupted and
   * no poll has succeeded since. Also `true` in the first update of a subscriber that comes when the next poll is late: a
   * poll that hangs emits no update.
   */
  readonly stale: boolean;
  /** The error of the last poll; absent when it succeeded. */
  readonly error?: AnyExchangeError;
}

/** What {@link watchBalance} emits of the main wallet. */
export interface BalanceUpdate extends WalletUpdate<Balance, BalanceChange> {}

/** What {@link watchBalance} emits of the spot wallet. An order that starts to rest changes both amounts of an asset. */
export interface SpotBalanceUpdate extends WalletUpdate<TradeBalance, SpotBalanceChange> {}

/** What {@link watchBalance} emits of the collateral wallet, whose balance is an amount for each asset. */
export interface CollateralBalanceUpdate extends WalletUpdate<CollateralBalance, BalanceChange> {}

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

type Known<Balances, Change> = Pick<WalletUpdate<Balances, Change>, 'balance' | 'changes' | 'staleAssets'>;

/** The wallet after a value; `last` is `undefined` after the first one. */
export function nextWallet<Entry, Change extends BalanceChange>(
  { zero, changes }: Wallet<Entry, Change>,
  read: Record<string, Entry>,
  last: Known<Record<string, Entry>, Change> | undefined,
): Known<Record<string, Entry>, Change> {
  const balance = last === undefined ? read : keepUnreadable(read, last, zero);
  return {
    balance,
    changes: last === undefined ? [] : changes(last.balance, balance),
    staleAssets: unreadableIn(balance)?.keys ?? [],
  };
}

/** An asset that could not be read has not disappeared: it keeps its last balance. */
function keepUnreadable<Entry>(
  read: Record<string, Entry>,
  last: Known<Record<string, Entry>, unknown>,
  zero: Entry,
): Record<string, Entry> {
  const unreadable = unreadableIn(read);
  if (unreadable?.keys === undefined) return read;
  const kept = unreadable.keys.flatMap((asset) => {
    if (Object.hasOwn(last.balance, asset)) return [[asset, last.balance[asset] ?? zero] as const];
    // The exchange omits zeros: an asset that was neither listed nor unreadable had none.
    return last.staleAssets.includes(asset) ? [] : [[asset, zero] as const];
  });
  const balance = { ...read, ...Object.fromEntries(kept) };
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
