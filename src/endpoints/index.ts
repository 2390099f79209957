// The door of the endpoints: the groups, and what is made of their definitions.
import { mainAccountRateLimit, ordersRateLimit, publicRateLimit } from './rate-limits.js';

export * from './groups.js';
export * as groups from './groups.js';
export type { FundingPayment, PositionChange } from './collateral/index.js';
export type { RefreshedToken } from './oauth/index.js';
export type { ActiveKillSwitch, CancelResult, DelistedOrder, KillSwitch } from './orders/index.js';
export type { Asset, FundingRate, FuturesMarket, Ticker, Trade } from './public/index.js';
export type { MarketFee, TradingFees } from './spot/index.js';
export { allRateLimits } from './all-rate-limits.js';
export { hasFeesByProvider, type AssetFees } from './public/transfer-fee.js';

/**
 * The rate limits that several endpoints share, by name. Those of an endpoint are its `rateLimits`, such as
 * `orders.cancel.rateLimits`.
 */
export const rateLimits = {
  public: publicRateLimit,
  orders: ordersRateLimit,
  mainAccount: mainAccountRateLimit,
} as const;
