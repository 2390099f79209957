/**
 * The endpoints as data, a namespace for each group. A client calls an endpoint: `client.call(orders.cancel, …)`.
 * With `defineEndpoint`, for the endpoints that this package lacks.
 *
 * @example
 * ```ts
 * import { createClient } from 'exchange-rx';
 * import * as endpoints from 'exchange-rx/endpoints';
 *
 * const client = createClient({ baseUrl: 'https://exchange.example' });
 * client.call(endpoints.public.ping).subscribe(([pong]) => console.log(pong));
 * ```
 *
 * @packageDocumentation
 */
import { mainAccountRateLimit } from './account/rate-limit.js';
import { ordersRateLimit } from './orders/rate-limit.js';
import { publicRateLimit } from './public/rate-limit.js';

export * from './groups.js';
export { allRateLimits } from './all-rate-limits.js';
export { ocoLookup } from './orders/lookups.js';

export {
  defineEndpoint,
  type Authentication,
  type BulkEntry,
  type BulkOrderEndpoint,
  type CallArguments,
  type Endpoint,
  type EndpointDefinition,
  type ErrorCode,
  type NoParams,
  type OrderEndpoint,
  type OrderKey,
  type OrderLookup,
  type OrderSearch,
  type PagedList,
  type RequestSchema,
  type Safety,
  type WireFields,
} from '../endpoint/index.js';
/**
 * The rate limits that several endpoints share, by name. Those of an endpoint are its `rateLimits`, such as
 * `orders.cancel.rateLimits`.
 */
export const rateLimits = {
  public: publicRateLimit,
  orders: ordersRateLimit,
  mainAccount: mainAccountRateLimit,
} as const;
export type { LimitWindow, RateLimit } from '../endpoint/index.js';
export type { RateLimitName } from '../model/rate-limit-name.js';

export {
  isCanceled,
  isFilled,
  isOpen,
  type HistoricalOrder,
  type Order,
  type OrderSide,
  type OtoOrder,
  type OrderState,
  type OrderStatus,
  type OrderType,
  type PositionSide,
  type StpMode,
} from '../model/order.js';
export type { AmountBounds, Asset, AssetLimits, AssetMemo, AssetNetworks, AssetProviders } from '../model/asset.js';
export {
  hasFeesByProvider,
  type AssetFees,
  type FeesByProvider,
  type FlexibleFee,
  type ProviderFee,
  type TransferFee,
} from '../model/asset-fee.js';
export type { AssetBalance, Balance, MainBalanceOf } from '../model/balance.js';
export type { CanceledOrder, CancelResult, FailedCancel, OrderNotFound } from '../model/cancel-result.js';
export type { Borrow } from '../model/borrow.js';
export type { Candle, CandleInterval } from '../model/candle.js';
export type {
  CollateralAsset,
  CollateralAssets,
  CollateralBalance,
  CollateralSummary,
} from '../model/collateral-balance.js';
export type { ConditionalOrder } from '../model/conditional-order.js';
export type { Deal } from '../model/deal.js';
export type { DelistedOrder } from '../model/delisted-order.js';
export type { FundingPayment } from '../model/funding-payment.js';
export type { FundingRate } from '../model/funding-rate.js';
export type { FuturesMarket } from '../model/futures-market.js';
export type { ActiveKillSwitch, KillSwitch, OrderKind } from '../model/kill-switch.js';
export type { Leverage } from '../model/leverage.js';
export type { PageOf } from '../model/paging.js';
export type { LiteralUnion } from '../model/literal-union.js';
export type { Market } from '../model/market.js';
export type { MiningAccount } from '../model/mining-account.js';
export type { OAuthToken } from '../model/oauth-token.js';
export type { OcoOrder } from '../model/oco-order.js';
export type { OrderBook, PriceLevel } from '../model/order-book.js';
export type { LivePosition, Position, PositionStops } from '../model/position.js';
export type { ClosedPosition, PositionChange, PositionChangeOrder } from '../model/position-history.js';
export type { SubAccount, SubAccountKyc, SubAccountPermissions } from '../model/sub-account.js';
export type { Ticker } from '../model/ticker.js';
export type { AssetTradeBalance, TradeBalance, TradeBalanceOf } from '../model/trade-balance.js';
export type { Trade } from '../model/trade.js';
export type { MarketFee, TradingFees } from '../model/trading-fees.js';
export type { WireNames } from '../model/wire-names.js';
