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
 *
 * @example
 * ```ts
 * import { balanceChanges } from 'exchange-rx';
 *
 * balanceChanges({ BTC: { main_balance: '1' } }, { BTC: { main_balance: '1.5' } });
 * // [{ asset: 'BTC', before: '1', after: '1.5', delta: '0.5' }]
 * ```
 */
export function balanceChanges(before: Balance, after: Balance): BalanceChange[] {
  const assets = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const asset of [...unknownIn(before), ...unknownIn(after)]) assets.delete(asset);
  return (
    [...assets]
      .map((asset) => [asset, before[asset]?.main_balance ?? '0', after[asset]?.main_balance ?? '0'] as const)
      // Decimals are costly, and most balances are equal as strings.
      .filter(([, was, is]) => was !== is)
      .map(([asset, was, is]) => changeOf(asset, decimal(was), decimal(is)))
      .filter(({ delta }) => delta !== '0')
  );
}

function changeOf(asset: string, was: Decimal, is: Decimal): BalanceChange {
  return { asset, before: formatDecimal(was), after: formatDecimal(is), delta: formatDecimal(is.minus(was)) };
}

/** The assets that could not be read and have no earlier balance. */
function unknownIn(balance: Balance): string[] {
  return (unreadableIn(balance)?.keys ?? []).filter((asset) => !Object.hasOwn(balance, asset));
}
