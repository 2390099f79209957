/**
 * Clients, schedulers and errors, and everything of `exchange-rx/operators`, `exchange-rx/streams` and
 * `exchange-rx/endpoints`. The sandbox and sharing over Redis have entry points of their own: `exchange-rx/sandbox` and
 * `exchange-rx/redis`.
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
  type AccountEndpoints,
  type CollateralEndpoints,
  type Exchange,
  type ExchangeOptions,
  type MiningEndpoints,
  type OauthEndpoints,
  type OrdersEndpoints,
  type PublicEndpoints,
  type SpotEndpoints,
  type SubAccountsEndpoints,
} from './exchange.js';
export {
  ClientRegistry,
  createClient,
  type CallEvent,
  type CallOptions,
  type Client,
  type ClientEndpoints,
  type ClientEvent,
  type ClientOptions,
  type FindOptions,
  type RequestEvent,
  type ResponseEvent,
  type RetryEvent,
  type RetryOptions,
  type UnreadableEvent,
  type WaitEvent,
} from './client/index.js';
export type { Credentials, NonceShard, NonceMode } from './auth/index.js';
export {
  kyTransport,
  undiciTransport,
  type Fetch,
  type FetchInit,
  type Sending,
  type SendOptions,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type UndiciTransportOptions,
} from './http/index.js';
export {
  checkOrder,
  roundAmount,
  roundPrice,
  type AbsencePremises,
  type MarketRules,
  type OrderEvent,
  type OrderProgress,
  type UndecidedOrder,
} from './orders/index.js';
export type {
  LimitOrderToCheck,
  MarketOrderToCheck,
  ModificationToCheck,
  OrderToCheck,
} from './model/order-to-check.js';

export {
  bestAsk,
  bestBid,
  costToBuy,
  depthTo,
  imbalance,
  midPrice,
  proceedsToSell,
  spread,
  type AccountStatus,
  type AdlQuantilesParams,
  type AssetsParams,
  type BookSides,
  type BookTicker,
  type BorrowEventItem,
  type Execution,
  type ExecutionCursor,
  type ExecutionsParams,
  type LiveExecutionItem,
  type CollateralEvent,
  type LastPrice,
  type Live,
  type LiveAdlQuantiles,
  type LiveBalances,
  type LiveBorrows,
  type LiveCandle,
  type LiveCandlesParams,
  type LiveConnectionEvent,
  type LiveEvent,
  type LiveGapEvent,
  type LiveMarginBalances,
  type LiveOpenOrders,
  type LiveOptions,
  type LiveOrder,
  type LiveOrderBook,
  type LiveOrderBookParams,
  type LiveOrderItem,
  type LiveOtoOrder,
  type LivePositions,
  type LivePremiumIndexParams,
  type LiveState,
  type LiveStatus,
  type LiveSubscriptionEvent,
  type LiveTrade,
  type LiveTradeItem,
  type LiveTradesParams,
  type MarketsParams,
  type MarketStatistics,
  type My,
  type OrderChange,
  type OrdersParams,
  type OtoOrderChange,
  type PositionEventItem,
  type PremiumIndex,
  type StandardWebSocket,
  type StandardWebSocketEvent,
  type WaitingReason,
  type WebSocketClass,
} from './live/index.js';
export type { BulkOrderObservable, BulkOrderResult, OrderObservable, Priority } from './endpoint/index.js';
export * from './endpoints/index.js';
export * from './operators/index.js';
export * from './streams/index.js';

export {
  createScheduler,
  type AcquireOptions,
  type RateLimitUsage,
  type LimitEvent,
  type LimitOverrides,
  type Permit,
  type PermitUse,
  type RedisOptions,
  type Scheduler,
  type SchedulerEvent,
  type SchedulerOptions,
  type SharedLimits,
  type SharingEvent,
  type WhenRedisIsDown,
} from './scheduler/index.js';

export type { FieldErrors } from './model/error-body.js';
export { unreadableIn, type Unreadable } from './model/unreadable.js';
export {
  type AnyExchangeError,
  ApiError,
  type ApiErrorReason,
  AuthError,
  type AuthErrorReason,
  type ErrorResponse,
  ExchangeDownError,
  ExchangeError,
  type ExchangeErrorOptions,
  GapError,
  HttpError,
  isExchangeError,
  isUndecided,
  LiveRefusedError,
  NotPlacedError,
  type Outcome,
  QueueFullError,
  QueueTimeoutError,
  RateLimitedError,
  RequestError,
  type RequestIssue,
  ResponseError,
  SlowConsumerError,
  TimeoutError,
  type TimeoutPhase,
  TransportError,
  UnavailableError,
  type UndecidedError,
  type WaitedFor,
} from './errors/index.js';
