// What watchBalance() emits of each wallet, and of all together.
import type { Balance, CollateralBalance, TradeBalance } from '../model/balances.js';
import type { StateUpdate } from './watched-state.js';

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

/** What {@link watchBalance} emits of the main wallet. */
export interface BalanceUpdate extends StateUpdate {
  /** The main balance by asset; empty before the first successful poll. */
  readonly balance: Balance;
  /** The changes since the previous update; empty in the first update of a subscriber. */
  readonly changes: readonly BalanceChange[];
  /**
   * The assets that the last successful poll contained but that could not be read; usually none. They keep the balance
   * of an earlier poll (`"0"` when that poll did not contain them) and have no change. An asset that was never read is
   * missing from `balance`.
   */
  readonly staleAssets: readonly string[];
}

/** What {@link watchBalance} emits of the spot wallet: {@link BalanceUpdate}, with two amounts of each asset. */
export interface SpotBalanceUpdate extends Omit<BalanceUpdate, 'balance' | 'changes'> {
  /** The trade balance by asset: `available` and `freeze`; empty before the first successful poll. */
  readonly balance: TradeBalance;
  /**
   * The changes of `available` and `freeze` since the previous update; empty in the first update of a subscriber. An
   * order that starts to rest changes both.
   */
  readonly changes: readonly SpotBalanceChange[];
}

/** What {@link watchBalance} emits of the collateral wallet: {@link BalanceUpdate}, with plain amounts. */
export interface CollateralBalanceUpdate extends Omit<BalanceUpdate, 'balance'> {
  /** The collateral balance by asset: amounts; empty before the first successful poll. */
  readonly balance: CollateralBalance;
}

/** A wallet of the account. */
export type WalletName = 'main' | 'spot' | 'collateral';

/** A change in one of the wallets. */
export interface WalletBalanceChange extends BalanceChange {
  /** The wallet that changed. */
  readonly wallet: WalletName;
  /** In the spot wallet: which amount changed. */
  readonly of?: 'available' | 'freeze';
}

/** An asset of a wallet. */
export interface WalletAsset {
  /** The wallet. */
  readonly wallet: WalletName;
  /** Ticker, such as `BTC`. */
  readonly asset: string;
}

/** What {@link watchBalance} emits of all wallets together: {@link BalanceUpdate}, by wallet. */
export interface AllBalancesUpdate extends StateUpdate {
  /** The balance of each wallet, as its endpoint has it; empty before the first successful poll. */
  readonly balance: {
    /** {@link BalanceUpdate.balance} */
    readonly main: Balance;
    /** {@link SpotBalanceUpdate.balance} */
    readonly spot: TradeBalance;
    /** {@link CollateralBalanceUpdate.balance} */
    readonly collateral: CollateralBalance;
  };
  /**
   * The changes since the previous update; empty in the first update of a subscriber. Each wallet
   * is read by a request of its own: a transfer between two of them may appear in two updates.
   */
  readonly changes: readonly WalletBalanceChange[];
  /** {@link BalanceUpdate.staleAssets}, with their wallets. */
  readonly staleAssets: readonly WalletAsset[];
}
