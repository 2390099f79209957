// The changes between two balances, by asset.
import type { Balance } from '../model/balance.js';
import { decimal, formatDecimal, type Decimal } from '../model/decimal.js';
import { unreadableIn } from '../model/unreadable.js';

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

/**
 * The assets whose balance differs, compared as decimals: `1.0` equals `1.00`. The exchange omits assets with a balance
 * of zero, so a missing asset counts as `"0"`. An asset that a response contained but that could not be read ({@link
 * unreadableIn}) has no change, because its balance is unknown.
 */
export function balanceChanges(before: Balance, after: Balance): BalanceChange[] {
  return amountChanges(before, after, ({ main_balance }) => main_balance);
}

/**
 * The changes of an amount that every asset has. An asset whose amount is `undefined` has no change, because it is
 * unknown.
 */
export function amountChanges<Entry>(
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
    const change = changeOf(asset, decimal(was), decimal(is));
    return change.delta === '0' ? [] : [change];
  });
}

function changeOf(asset: string, was: Decimal, is: Decimal): BalanceChange {
  return { asset, before: formatDecimal(was), after: formatDecimal(is), delta: formatDecimal(is.minus(was)) };
}

/** The assets that could not be read and have no earlier balance. */
function unknownIn(balance: object): string[] {
  return (unreadableIn(balance)?.keys ?? []).filter((asset) => !Object.hasOwn(balance, asset));
}
