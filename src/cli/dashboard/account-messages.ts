// Messages of the feed: the account's executions, orders, positions and wallets.
import type { Freshness } from './freshness-messages.js';

export interface ExecutionsPart {
  readonly state: Freshness;
  /** Newest first, at most 200, of all markets; those of the chosen market mark the chart. */
  readonly list: readonly ExecutionRow[];
  /** Number of executions since 00:00 UTC, as far as the list reaches; `isAtLeast`: there may be more. */
  readonly today: { readonly count: number; readonly isAtLeast: boolean };
}

export interface ExecutionRow {
  /** Unique with `orderId`. */
  readonly id: number;
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly at: number;
  readonly market: string;
  readonly side: 'buy' | 'sell' | 'unknown';
  readonly price: string;
  readonly amount: string;
  /** Quote currency. */
  readonly total: string;
  readonly fee: string;
  readonly feeAsset: string;
  readonly role: 'maker' | 'taker' | 'unknown';
}

export interface OrdersPart {
  readonly state: Freshness;
  /** In doubt first (sent, outcome not determined), at most 50; counted in. */
  readonly inDoubt: readonly DoubtRow[];
  readonly open: readonly OrderRow[];
  readonly notShown: number;
  /** Ended orders, newest first, at most 50, and their own age. */
  readonly ended: readonly OrderRow[];
  readonly endedState: Freshness;
}

/** `price` and `amount` are as requested; empty for a market order. */
export interface DoubtRow extends Pick<OrderRow, 'clientOrderId' | 'market' | 'side' | 'price' | 'amount'> {
  readonly endpoint: string;
  readonly sentAt: number;
  /** `looking-up`: the exchange is being asked. `unknown`: lookups could not decide it, and the program must resume it. */
  readonly phase: 'looking-up' | 'unknown';
}

export interface OrderRow {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly at: number | null;
  readonly market: string;
  readonly side: 'buy' | 'sell' | 'unknown';
  /** The exchange's type, such as `limit`, with `post`, `reduce`, `ioc` where they are set. */
  readonly type: string;
  readonly flags: readonly string[];
  /** Empty for a market order. */
  readonly price: string;
  /** Of a stop order; empty otherwise. */
  readonly activationPrice: string;
  readonly amount: string;
  readonly filled: string;
  /** Average price of what was filled, rounded to the market's decimals; empty when nothing was. */
  readonly average: string;
  /** Of the last price, percent with sign, such as `-0.27`; empty when it is not known or stale. */
  readonly fromLast: string;
  /** In words: `open`, `partly filled`, `filled`, `canceled`, `may have ended`. */
  readonly status: string;
}

export interface PositionsPart {
  readonly state: Freshness;
  readonly list: readonly PositionRow[];
  readonly notShown: number;
  /** Sums of PnL, one for each quote currency; empty when that of a position is not known. */
  readonly pnl: readonly { readonly currency: string; readonly amount: string }[];
}

export interface PositionRow {
  readonly positionId: number;
  readonly market: string;
  readonly side: 'long' | 'short';
  /** Without sign, base currency. */
  readonly amount: string;
  /** At the mark price; empty without one. As the following. */
  readonly value: string;
  readonly entry: string;
  readonly mark: string;
  readonly liquidation: string;
  /** Distance of the liquidation price from the mark price, percent with sign. */
  readonly away: string;
  /** With sign. */
  readonly pnl: string;
  /** PnL in percent of the margin, with sign. */
  readonly ofMargin: string;
  /** Funding that is not charged yet, with sign: what the account receives. */
  readonly funding: string;
  readonly margin: string;
  /** Leverage of the collateral account, such as `10`; empty when it is not known. */
  readonly leverage: string;
  /** The exchange's state of its liquidation, such as `margin_call`; empty: none. */
  readonly warning: string;
}

export interface AccountPart {
  readonly state: Freshness;
  readonly currency: string;
  /** Value of all wallets; `null` before all were read. */
  readonly value: string | null;
  /** Assets without a price in the currency, which are not in the value; at most 20. */
  readonly notValued: readonly string[];
  /** Change of the value since `since`, at most 24 hours ago; `null` before there are two values. */
  readonly change: { readonly amount: string; readonly since: number } | null;
  readonly wallets: readonly WalletPart[];
}

export interface WalletPart {
  readonly wallet: 'spot' | 'collateral' | 'main';
  readonly state: Freshness;
  readonly value: string | null;
  /** Assets with an amount, the most valuable first, at most 100. */
  readonly assets: readonly AssetRow[];
  readonly notShown: number;
}

export interface AssetRow {
  readonly asset: string;
  /** All of it, with what orders reserve. */
  readonly amount: string;
  /** Reserved by open orders; of collateral, the amount that is borrowed has its own field. Empty: not known. */
  readonly inOrders: string;
  /** Empty, but of collateral. */
  readonly borrowed: string;
  readonly value: string | null;
  /** The last response had it and it could not be read: the amount is an earlier one. */
  readonly isStale: boolean;
}

export interface EquityPoint {
  readonly at: number;
  readonly value: string;
}
