// The wallets of an account: how the balance of each is read, and what of it changes.
import type { Balance } from '../model/balance.js';
import type { CollateralBalance } from '../model/collateral-balance.js';
import type { TradeBalance } from '../model/trade-balance.js';
import { decimal, formatDecimal } from '../model/decimal.js';
import { noteUnreadable, unreadableIn } from '../model/unreadable.js';
import type { BalanceChange, SpotBalanceChange } from './balance-updates.js';

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
export const nothing = { balance: {}, changes: [], staleAssets: [] };

/** The state of a wallet after a poll; `last` is `undefined` after the first successful one. */
export function nextWallet<Entry, Change extends BalanceChange>(
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
