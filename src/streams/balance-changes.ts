// What differs between two balances, asset by asset.
import type { Balance } from '../model/balance.js';
import { decimal, formatDecimal, type Decimal } from '../model/decimal.js';
import { unreadableIn } from '../model/unreadable.js';

/** How one asset's balance changed. All are decimal strings. */
export interface BalanceChange {
  /** Ticker, such as `BTC`. */
  readonly asset: string;
  /** What there was; `"0"` when there was none. */
  readonly before: string;
  /** What there is now; `"0"` when there is none. */
  readonly after: string;
  /** `after` minus `before`. */
  readonly delta: string;
}

/**
 * The assets whose amounts differ, compared as decimals: `1.0` is `1.00`. The exchange leaves out assets of zero
 * balance, so one that is missing has gone to `"0"`. An asset that a response had and that could not be read ({@link
 * unreadableIn}) has no change: its balance is not known.
 *
 * @example
 * ```ts
 * import { balanceChanges } from 'exchange-rx';
 *
 * balanceChanges({ BTC: { main_balance: '1' } }, { BTC: { main_balance: '1.5' } }); // [{ asset: 'BTC', before: '1', after: '1.5', delta: '0.5' }]
 * ```
 */
export function balanceChanges(before: Balance, after: Balance): BalanceChange[] {
  const assets = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const asset of [...unknownIn(before), ...unknownIn(after)]) assets.delete(asset);
  return (
    [...assets]
      .map((asset) => [asset, before[asset]?.main_balance ?? '0', after[asset]?.main_balance ?? '0'] as const)
      // Most stay as they are: only the others are computed with.
      .filter(([, was, is]) => was !== is)
      .map(([asset, was, is]) => changeOf(asset, decimal(was), decimal(is)))
      .filter(({ delta }) => delta !== '0')
  );
}

function changeOf(asset: string, was: Decimal, is: Decimal): BalanceChange {
  return { asset, before: formatDecimal(was), after: formatDecimal(is), delta: formatDecimal(is.minus(was)) };
}

/** The assets of which a balance does not say whether there is anything. */
function unknownIn(balance: Balance): string[] {
  return (unreadableIn(balance)?.keys ?? []).filter((asset) => !Object.hasOwn(balance, asset));
}
