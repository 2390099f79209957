// The door of the endpoints: the groups, and what is made of their definitions.
import { mainAccountRateLimit } from './account/rate-limit.js';
import { ordersRateLimit } from './orders/rate-limit.js';
import { publicRateLimit } from './public/rate-limit.js';

export * from './groups.js';
export type { FundingPayment } from './collateral/funding-payments.js';
export type { PositionChange } from './collateral/position-history.js';
export type { CancelResult } from './orders/cancel-many.js';
export type { DelistedOrder } from './orders/delisted.js';
export type { Asset } from './public/assets.js';
export type { FundingRate } from './public/funding-rate-history.js';
export type { FuturesMarket } from './public/futures-markets.js';
export type { Trade } from './public/recent-trades.js';
export type { Ticker } from './public/tickers.js';
export type { MarketFee, TradingFees } from './spot/fees.js';
export { allRateLimits } from './all-rate-limits.js';
export { ocoLookup } from './orders/lookups.js';

/**
 * The rate limits that several endpoints share, by name. Those of an endpoint are its `rateLimits`, such as
 * `orders.cancel.rateLimits`.
 */
export const rateLimits = {
  public: publicRateLimit,
  orders: ordersRateLimit,
  mainAccount: mainAccountRateLimit,
} as const;
