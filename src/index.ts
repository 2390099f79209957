// The public surface, listed by hand.
export { createExchange, type Bound, type Exchange, type ExchangeOptions } from './exchange.js';
export type { CallOptions } from './call-limits.js';
export { createSession, type Session } from './session.js';
export type { RetryOptions, SessionOptions } from './options.js';
export type { Credentials, NonceLane, NonceMode } from './auth/index.js';
export type { Fetch } from './http/index.js';
export type { CallEvent, OrderEvent, RequestEvent, ResponseEvent, RetryEvent, SessionEvent, WaitEvent } from './events.js';
export type { OrderProgress } from './one-order.js';

export {
  defineEndpoint,
  type Authentication,
  type Call,
  type CallArguments,
  type Endpoint,
  type EndpointDefinition,
  type NoParams,
  type OrderKey,
  type OrderLookUp,
  type Refusal,
  type Safety,
} from './endpoint.js';

export { markets, ping, serverTime, type Pong, type ServerTime } from './endpoints/public/index.js';
export {
  cancelOrder,
  openOrders,
  orderHistory,
  placeMarketOrder,
  placeStockMarketOrder,
  setKillSwitch,
  type CancelOrderParams,
  type KillSwitch,
  type OpenOrdersParams,
  type OrderHistory,
  type OrderHistoryParams,
  type PlaceMarketOrderParams,
  type PlaceStockMarketOrderParams,
  type SetKillSwitchParams,
} from './endpoints/spot/index.js';
export {
  placeLimitOrder as placeCollateralLimitOrder,
  setLeverage,
  type ActiveLeverage,
  type PlaceLimitOrderParams as PlaceCollateralLimitOrderParams,
  type SetLeverageParams,
} from './endpoints/collateral/index.js';
export { orderLookUp } from './endpoints/spot/look-up-order.js';
export { mainBalance } from './endpoints/account/index.js';
export { allSubAccounts, type AllSubAccountsParams } from './endpoints/sub-accounts/all.js';
export { list as listSubAccounts, type ListSubAccountsParams, type SubAccountPage } from './endpoints/sub-accounts/index.js';
export { allMiningAccounts } from './endpoints/mining/all-accounts.js';
export { listAccounts as listMiningAccounts, type ListMiningAccountsParams, type MiningAccountPage } from './endpoints/mining/index.js';
export { refreshToken, type RefreshedToken, type RefreshTokenParams } from './endpoints/oauth/index.js';

export {
  isCanceled,
  isFilled,
  isOpen,
  type HistoricalOrder,
  type Order,
  type OrderSide,
  type OrderState,
  type OrderStatus,
  type OrderType,
  type PositionSide,
  type StpMode,
} from './model/order.js';
export type { Balance } from './model/balance.js';
export type { Leverage } from './model/leverage.js';
export type { Market } from './model/market.js';
export type { MiningAccount } from './model/mining-account.js';
export type { OAuthToken } from './model/oauth-token.js';
export type { Open } from './model/open-enum.js';
export type { SubAccount } from './model/sub-account.js';

export { checkOrder, roundAmount, roundPrice, type MarketRules, type OrderToCheck } from './market-rules/index.js';

export {
  createScheduler,
  limitGroups,
  type AcquireOptions,
  type GroupUsage,
  type InFlight,
  type LimitEvent,
  type LimitGroup,
  type LimitGroupName,
  type LimitOverrides,
  type Permit,
  type PermitUse,
  type Priority,
  type RateLimit,
  type RedisOptions,
  type Scheduler,
  type SchedulerEvent,
  type SchedulerOptions,
  type SharingEvent,
  type WhenRedisIsDown,
} from './scheduler/index.js';

export {
  abortOn,
  changes,
  fromAbortable,
  isTransient,
  isTransientAndNotExecuted,
  pauseWhileDown,
  poll,
  RetryBudget,
  retryOn503,
  retryWith,
  throttleToLimit,
  toAsyncIterable,
  whenUp,
  type Availability,
  type Change,
  type PauseWhileDownOptions,
  type PollOptions,
  type Retry,
  type RetryBudgetOptions,
  type RetryOn503,
  type RetryOn503Options,
  type RetryPolicy,
  type RetryWithOptions,
  type ThrottleToLimitOptions,
  type AsyncValues,
  type ToAsyncIterableOptions,
  type WhenUpOptions,
} from './operators/index.js';
export {
  balanceChanges,
  watchBalance,
  watchHealth,
  type BalanceChange,
  type BalanceUpdate,
  type Health,
  type HealthReason,
  type HealthThresholds,
  type PingLatency,
  type WatchBalanceOptions,
  type WatchHealthOptions,
} from './streams/index.js';

export {
  ApiError,
  AuthError,
  ExchangeDownError,
  ExchangeError,
  ExpiredError,
  HttpError,
  isExchangeError,
  NotPlacedError,
  QueueFullError,
  RateLimitedError,
  RequestError,
  ResponseError,
  TimeoutError,
  TransportError,
  UnavailableError,
  type AnyExchangeError,
  type ApiErrorReason,
  type AuthErrorReason,
  type ErrorAnswer,
  type Outcome,
  type RequestIssue,
  type TimeoutPhase,
} from './errors.js';
