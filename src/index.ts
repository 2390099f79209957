/**
 * Clients, schedulers, errors, streams and operators, and the types of requests and responses. The endpoints as data,
 * recordings, sharing over Redis, the sandbox and the trading page have entry points of their own:
 * `exchange-rx/endpoints`, `exchange-rx/recording`, `exchange-rx/redis`, `exchange-rx/sandbox` and
 * `exchange-rx/dashboard`.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 *
 * const exchange = createExchange({ baseUrl: 'https://exchange.example' });
 * exchange.public.ping().subscribe(([pong]) => console.log(pong));
 * ```
 *
 * @packageDocumentation
 */
export {
  createExchange,
  type Exchange,
  type ExchangeOptions,
  type AccountEndpoints,
  type CollateralEndpoints,
  type MiningEndpoints,
  type ConvertEndpoints,
  type LendingEndpoints,
  type ApiKeysEndpoints,
  type ComplianceEndpoints,
  type OauthEndpoints,
  type OrdersEndpoints,
  type PublicEndpoints,
  type SpotEndpoints,
  type SubAccountsEndpoints,
} from './exchange.js';
export {
  asPromises,
  type AsyncExchange,
  type AsyncAccountEndpoints,
  type AsyncCollateralEndpoints,
  type AsyncMiningEndpoints,
  type AsyncConvertEndpoints,
  type AsyncLendingEndpoints,
  type AsyncApiKeysEndpoints,
  type AsyncComplianceEndpoints,
  type AsyncOauthEndpoints,
  type AsyncOrdersEndpoints,
  type AsyncPublicEndpoints,
  type AsyncSpotEndpoints,
  type AsyncSubAccountsEndpoints,
} from './as-promises.js';
export {
  baseUrls,
  ClientRegistry,
  type CallEvent,
  type CallOptions,
  type Client,
  type ClientEvent,
  type ClientOptions,
  type FindOptions,
} from './client/index.js';
export type { Credentials } from './auth/index.js';
export {
  kyTransport,
  undiciTransport,
  type Fetch,
  type Sending,
  type SendOptions,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type UndiciTransportOptions,
} from './http/index.js';
export {
  authorizationUrl,
  oauthCredentials,
  userTokens,
  type AuthorizationRequest,
  type OAuthCredentials,
  type OAuthCredentialsOptions,
  type UserTokens,
} from './oauth-credentials.js';
export type { MovementEvent } from './movements/index.js';
export { roundAmount, roundPrice, type ListedMarket, type MarketRules, type UndecidedOrder } from './orders/index.js';
export type { OrderToCheck } from './model/order-to-check.js';

export {
  type AccountValue,
  type BookTicker,
  type CollateralEventItem,
  type Execution,
  type ExecutionCursor,
  type LastPrice,
  type Live,
  type LiveCandle,
  type LiveExecutionItem,
  type LiveOpenOrders,
  type LiveOptions,
  type LiveOrder,
  type LiveOrderBook,
  type LiveOrderItem,
  type LiveState,
  type LiveStatus,
  type LiveTrade,
  type LiveTradeItem,
  type MarketStatistics,
  type My,
  type OrderChange,
  type PremiumIndex,
  type WebSocketClass,
} from './live/index.js';
export * from './operators/index.js';
export * from './streams/index.js';
export { OrderJournal, recoverOrders, type JournaledOrder, type RecoveredOrder } from './order-journal.js';

export {
  defineEndpoint,
  type BulkOrderEndpoint,
  type BulkOrderObservable,
  type BulkOrderResult,
  type CallArguments,
  type Endpoint,
  type EndpointDefinition,
  type LimitWindow,
  type NoParams,
  type OrderEndpoint,
  type OrderObservable,
  type OrderSearch,
  type PagedList,
  type Priority,
  type RateLimit,
} from './endpoint/index.js';
export {
  hasFeesByProvider,
  rateLimits,
  type ActiveKillSwitch,
  type Asset,
  type AssetFees,
  type CancelResult,
  type DelistedOrder,
  type FundingPayment,
  type FundingRate,
  type FuturesMarket,
  type KillSwitch,
  type MarketFee,
  type PositionChange,
  type Ticker,
  type Trade,
  type TradingFees,
} from './endpoints/index.js';
export {
  createScheduler,
  type AcquireOptions,
  type Permit,
  type RateLimitUsage,
  type Scheduler,
  type SchedulerEvent,
  type SchedulerOptions,
  type SharingEvent,
} from './scheduler/index.js';

export type {
  AssetBalance,
  Balance,
  MainBalanceOf,
  CollateralAsset,
  CollateralAssets,
  CollateralBalance,
  CollateralSummary,
  AssetTradeBalance,
  TradeBalance,
  TradeBalanceOf,
} from './model/balances.js';
export type { Borrow, Leverage, ClosedPosition, LivePosition, Position } from './model/position.js';
export type { Candle, CandleInterval } from './model/candle.js';
export type { ConditionalOrder } from './model/conditional-order.js';
export type { Deal } from './model/deal.js';
export type { LiteralUnion } from './model/tolerant.js';
export type { Market } from './model/market.js';
export type { MiningAccount, SubAccount } from './model/accounts.js';
export type { OAuthToken, RefreshedTokens } from './model/oauth-token.js';
export type { OcoOrder } from './model/oco-order.js';
export {
  isCanceled,
  isFilled,
  isOpen,
  type HistoricalOrder,
  type Order,
  type OrderSide,
  type OrderStatus,
  type OrderType,
  type OtoOrder,
  type PositionSide,
  type StpMode,
} from './model/order.js';
export type { OrderBook, PriceLevel } from './model/order-book.js';
export type { Transaction, TransactionPage } from './model/transaction.js';
export type { PageOf } from './model/paging.js';
export type { LiveGap } from './model/stream-gap.js';

export { unreadableIn, type Unreadable } from './model/unreadable.js';
export {
  ApiError,
  AuthError,
  ExchangeDownError,
  isExchangeError,
  isUndecided,
  LiveRefusedError,
  LookupError,
  NotPlacedError,
  QueueFullError,
  QueueTimeoutError,
  RateLimitedError,
  RecordingError,
  RequestError,
  ResponseError,
  responseBodyOf,
  SlowConsumerError,
  TimeoutError,
  TransportError,
  UnavailableError,
  type AnyExchangeError,
  type ApiErrorReason,
  type AuthErrorReason,
  type Outcome,
  type RecordingErrorReason,
  type RequestIssue,
  type UndecidedError,
} from './errors/index.js';
