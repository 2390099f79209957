/**
 * The client, its sessions and scheduler, and every error. Has what `exchange-rx/operators`, `exchange-rx/streams` and `exchange-rx/endpoints`
 * have, too; the sandbox and sharing over Redis have to be asked for: `exchange-rx/sandbox`, `exchange-rx/redis`.
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
export { createExchange, type Bound, type Exchange, type ExchangeOptions } from './exchange.js';
export type { CallOptions } from './call-limits.js';
export { createSession, type Session, type SessionHooks } from './session.js';
export type { RetryOptions, SessionOptions } from './options.js';
export type { Credentials, NonceLane, NonceMode } from './auth/index.js';
export type { Fetch, FetchInit } from './http/index.js';
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
  type RequestSchema,
  type Safety,
  type WireFields,
} from './endpoint.js';

export {
  allMiningAccounts,
  allSubAccounts,
  cancelOrder,
  listMiningAccounts,
  listSubAccounts,
  mainBalance,
  markets,
  openOrders,
  orderHistory,
  orderLookUp,
  ping,
  placeCollateralLimitOrder,
  placeMarketOrder,
  placeStockMarketOrder,
  refreshToken,
  serverTime,
  setKillSwitch,
  setLeverage,
  type ActiveLeverage,
  type AllSubAccountsParams,
  type CancelOrderParams,
  type KillSwitch,
  type ListMiningAccountsParams,
  type ListSubAccountsParams,
  type MiningAccountPage,
  type OpenOrdersParams,
  type OrderHistory,
  type OrderHistoryParams,
  type PlaceCollateralLimitOrderParams,
  type PlaceMarketOrderParams,
  type PlaceStockMarketOrderParams,
  type Pong,
  type RefreshedToken,
  type RefreshTokenParams,
  type ServerTime,
  type SetKillSwitchParams,
  type SetLeverageParams,
  type SubAccountPage,
} from './endpoints/index.js';

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
export type { FieldErrors } from './model/error-body.js';
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
  type SharedLimits,
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
  type ExchangeErrorOptions,
  type Outcome,
  type RequestIssue,
  type TimeoutPhase,
} from './errors.js';
