// The exchange's rate limits, by group of endpoints. All are per IP address: every process behind one address shares
// them.

/** How many requests the exchange accepts in any window of this length. */
export interface LimitWindow {
  /** Requests, 1 or more. */
  readonly limit: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
}

/** Endpoints that share one limit. */
export interface RateLimit extends LimitWindow {
  /**
   * Unique name, by which requests are counted. Groups of one name must have one limit: a request of a group that
   * differs from the first one that was used fails with {@link RequestError}. `limits` of the client's options
   * overrides the package's own by it.
   */
  readonly name: string;
}

function group(name: string, limit: number, windowMs = 10_000): RateLimit {
  return { name, limit, windowMs };
}

/**
 * The groups of the endpoints that this package has. `stockMarket` and `public` are the spec's limits; it says that the
 * others "vary per endpoint", and they are what the exchange has published.
 */
export const rateLimits = {
  /** `POST /api/v4/order/stock_market`: 10000 requests / 10 s. */
  stockMarket: group('stockMarket', 10_000),
  /** `GET /api/v4/public/*`: 2000 requests / 10 s. */
  public: group('public', 2000),
  /** `POST /api/v4/order/market`: 10000 requests / 10 s. */
  marketOrder: group('marketOrder', 10_000),
  /** `POST /api/v4/order/collateral/limit`: 10000 requests / 10 s. */
  collateralLimit: group('collateralLimit', 10_000),
  /** `POST /api/v4/order/cancel`: 10000 requests / 10 s. */
  cancelOrder: group('cancelOrder', 10_000),
  /** `POST /api/v4/order/kill-switch`: 10000 requests / 10 s. */
  killSwitch: group('killSwitch', 10_000),
  /** Open orders and order history together: 12000 requests / 10 s. */
  orders: group('orders', 12_000),
  /** `POST /api/v4/collateral-account/leverage`: 1000 requests / 10 s. */
  leverage: group('leverage', 1000),
  /** `POST /api/v4/main-account/balance`: 1000 requests / 10 s. */
  mainBalance: group('mainBalance', 1000),
  /** `POST /api/v4/sub-account/list`: 1000 requests / 10 s. */
  subAccounts: group('subAccounts', 1000),
  /** `POST /api/v4/mining/accounts`: 1000 requests / 10 s. */
  miningAccounts: group('miningAccounts', 1000),
  /** `POST /oauth2/refresh_token`: 1 request / 1 s. */
  oauth: group('oauth', 1, 1000),
} as const;

/** Name of a group that this package has. */
export type RateLimitName = keyof typeof rateLimits;

/**
 * Limits that replace the default ones, by the group's name: `{ public: { limit: 600, windowMs: 10_000 } }`. A group of
 * your own has its limit where it is defined.
 */
export type LimitOverrides = Readonly<Partial<Record<RateLimitName, LimitWindow>>>;

/** Whether this package has a group of that name. */
export function isRateLimitName(name: string): name is RateLimitName {
  return Object.hasOwn(rateLimits, name);
}

/** A limit as messages say it. */
export function describeLimit({ limit, windowMs }: LimitWindow): string {
  return `${limit} requests / ${windowMs} ms`;
}

/** Whether two limits are the same. */
export function isSameLimit(one: LimitWindow, other: LimitWindow): boolean {
  return one.limit === other.limit && one.windowMs === other.windowMs;
}
