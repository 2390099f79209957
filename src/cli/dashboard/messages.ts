// What the dashboard's server tells its page. These types are all that both sides share, and hold nothing that is
// secret.

export interface HealthPoint {
  /** Unix ms. */
  readonly at: number;
  readonly state: 'up' | 'degraded' | 'down';
  readonly reason?: string;
  /** Since when it has been in this state, Unix ms. */
  readonly since: number;
  /** Of this ping; `null` when it failed. Milliseconds. */
  readonly latencyMs: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** 0 to 1. */
  readonly successRatio: number;
}

/** One asset of the balance. Lists of them, not objects by name: an exchange may call an asset `toString`. */
export interface AssetRow {
  /** Its name, as it can be shown. */
  readonly asset: string;
  /** Decimal string; `null` when it was never read. */
  readonly amount: string | null;
  /** Its last change, decimal string; empty when it had none. */
  readonly change: string;
  /** It could not be read in the last poll that succeeded: the amount is an earlier one. */
  readonly stale: boolean;
}

export interface BalancePoint {
  /** Unix ms. */
  readonly at: number;
  readonly assets: readonly AssetRow[];
  /** How many assets more there are, which are not in the list. */
  readonly notShown: number;
  /** How many assets, shown or not, could not be read in the last poll that succeeded. */
  readonly notRead: number;
  /** The last poll failed. */
  readonly stale: boolean;
}

export interface LimitUsage {
  readonly rateLimit: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly used: number;
  readonly queued: number;
  readonly ratePerSecond: number;
  /** Until when it is closed after a 429, Unix ms; `null` when it is not. */
  readonly closedUntil: number | null;
}

export interface OrderRow {
  readonly id: number;
  /** Unix ms; `null` when the exchange gave none, or one that no calendar has. */
  readonly at: number | null;
  readonly market: string;
  readonly side: string;
  readonly type: string;
  readonly amount: string;
  readonly filled: string;
  readonly total: string;
  readonly status: string;
}

export interface Problem {
  /** Unix ms. */
  readonly at: number;
  readonly endpoint: string;
  /** The kind of the error, and the HTTP status if there was an answer. */
  readonly text: string;
}

/** Which exchange is looked at, and how. */
export interface About {
  readonly baseUrl: string;
  /** It is the embedded one: play money. */
  readonly sandbox: boolean;
  /** Balances and orders can be read. */
  readonly account: boolean;
}

/** All that is kept, for a page that has just come. */
export interface History {
  readonly about: About;
  readonly health: readonly HealthPoint[];
  readonly balances: readonly BalancePoint[];
  readonly usage: readonly LimitUsage[];
  readonly orders: readonly OrderRow[];
  readonly problems: readonly Problem[];
}

export type Message =
  | { readonly type: 'history'; readonly history: History }
  | { readonly type: 'health'; readonly health: HealthPoint }
  | { readonly type: 'balance'; readonly balance: BalancePoint }
  | { readonly type: 'usage'; readonly usage: readonly LimitUsage[] }
  | { readonly type: 'orders'; readonly orders: readonly OrderRow[] }
  | { readonly type: 'problem'; readonly problem: Problem };
