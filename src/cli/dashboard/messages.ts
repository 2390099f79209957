// The messages from the dashboard's server to its page. No field can hold a key or a secret.

export interface HealthPoint {
  /** Unix ms. */
  readonly at: number;
  readonly state: 'up' | 'degraded' | 'down';
  readonly reason?: string;
  /** Start of this state, Unix ms. */
  readonly since: number;
  /** Latency of this ping, milliseconds; `null` when it failed. */
  readonly latencyMs: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** 0 to 1. */
  readonly successRatio: number;
}

/** One asset of a balance. Messages hold lists, not objects by asset, because an asset may be named `toString`. */
export interface AssetRow {
  /** Printable name. */
  readonly asset: string;
  /** Decimal string; `null` before the first successful read. */
  readonly amount: string | null;
  /** Last change, decimal string; empty before the first change. */
  readonly change: string;
  /** The last successful poll could not read this asset: the amount is of an earlier poll. */
  readonly stale: boolean;
}

export interface BalancePoint {
  /** Unix ms. */
  readonly at: number;
  readonly assets: readonly AssetRow[];
  /** Number of assets that are not in the list. */
  readonly notShown: number;
  /** Number of assets, in the list or not, that the last successful poll could not read. */
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
  /** End of the cool-down after a 429, Unix ms; `null` without a cool-down. */
  readonly coolDownUntil: number | null;
}

export interface OrderRow {
  readonly id: number;
  /** Unix ms; `null` when the exchange sent no time, or an impossible one. */
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
  /** Kind of the error, and the HTTP status if there was a response. */
  readonly text: string;
}

/** The best prices of the live order book. */
export interface BookPoint {
  readonly market: string;
  /** `waiting`: no book yet. `refused`: the exchange refuses the market. */
  readonly status: 'live' | 'stale' | 'waiting' | 'refused';
  /** Price of the best buy order; `null` when there is none. */
  readonly bid: string | null;
  /** Price of the best sell order; `null` when there is none. */
  readonly ask: string | null;
  /** The state of the live connection, or the refusal, in words. */
  readonly connection: string;
}

/** The exchange that the dashboard shows. */
export interface About {
  readonly baseUrl: string;
  /** Whether it is the embedded exchange with play money. */
  readonly sandbox: boolean;
  /** Whether the client has credentials, to read balances and orders. */
  readonly account: boolean;
}

/** The first message to a page: all that the server keeps. */
export interface History {
  readonly about: About;
  readonly health: readonly HealthPoint[];
  readonly balances: readonly BalancePoint[];
  readonly usage: readonly LimitUsage[];
  readonly orders: readonly OrderRow[];
  readonly problems: readonly Problem[];
  /** Absent before the first message of it. */
  readonly book?: BookPoint;
}

export type Message =
  | { readonly type: 'history'; readonly history: History }
  | { readonly type: 'health'; readonly health: HealthPoint }
  | { readonly type: 'balance'; readonly balance: BalancePoint }
  | { readonly type: 'usage'; readonly usage: readonly LimitUsage[] }
  | { readonly type: 'orders'; readonly orders: readonly OrderRow[] }
  | { readonly type: 'problem'; readonly problem: Problem }
  | { readonly type: 'book'; readonly book: BookPoint };
