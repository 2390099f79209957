/**
 * The endpoints as data, each to be called by a session or a client: a program that calls one ships one. With what it
 * takes to define those that this package lacks.
 *
 * @example
 * ```ts
 * import { createSession } from 'exchange-rx';
 * import { ping } from 'exchange-rx/endpoints';
 *
 * const session = createSession({ baseUrl: 'https://exchange.example' });
 * session.call(ping).subscribe(([pong]) => console.log(pong));
 * ```
 *
 * @packageDocumentation
 */
export { markets, ping, serverTime, type Pong, type ServerTime } from './public/index.js';
export {
  cancelOrder,
  conditionalOrders,
  openOrders,
  orderHistory,
  placeMarketOrder,
  placeStockMarketOrder,
  setKillSwitch,
  type CancelOrderParams,
  type ConditionalOrderPage,
  type ConditionalOrdersParams,
  type KillSwitch,
  type OpenOrdersParams,
  type OrderHistory,
  type OrderHistoryParams,
  type PlaceMarketOrderParams,
  type PlaceStockMarketOrderParams,
  type SetKillSwitchParams,
} from './spot/index.js';
export {
  placeLimitOrder as placeCollateralLimitOrder,
  setLeverage,
  type ActiveLeverage,
  type PlaceLimitOrderParams as PlaceCollateralLimitOrderParams,
  type SetLeverageParams,
} from './collateral/index.js';
export { orderLookUp } from './spot/look-up-order.js';
export { mainBalance } from './account/index.js';
export { allSubAccounts, type AllSubAccountsParams } from './sub-accounts/all.js';
export { list as listSubAccounts, type ListSubAccountsParams, type SubAccountPage } from './sub-accounts/index.js';
export { allMiningAccounts } from './mining/all-accounts.js';
export {
  listAccounts as listMiningAccounts,
  type ListMiningAccountsParams,
  type MiningAccountPage,
} from './mining/index.js';
export { refreshToken, type RefreshedToken, type RefreshTokenParams } from './oauth/index.js';

export {
  defineEndpoint,
  type Authentication,
  type Call,
  type CallArguments,
  type Endpoint,
  type EndpointDefinition,
  type NoParams,
  type OrderEndpoint,
  type OrderKey,
  type OrderLookUp,
  type Refusal,
  type RequestSchema,
  type Safety,
  type WireFields,
} from '../endpoint.js';
export { limitGroups, type LimitGroup, type LimitGroupName, type RateLimit } from '../scheduler/index.js';

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
} from '../model/order.js';
export type { Balance } from '../model/balance.js';
export type { ConditionalOrder } from '../model/conditional-order.js';
export type { Leverage } from '../model/leverage.js';
export type { Market } from '../model/market.js';
export type { MiningAccount } from '../model/mining-account.js';
export type { OAuthToken } from '../model/oauth-token.js';
export type { Open } from '../model/open-enum.js';
export type { SubAccount } from '../model/sub-account.js';
