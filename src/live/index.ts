// The door of the live layer: the channels of the live connection as observables.
export { depthLimits } from './channels/depth.js';
export type { BookTicker, LastPrice, MarketStatistics, PremiumIndex } from './channels/index.js';
export type { LiveOrder } from '../model/live-order.js';
export type { LiveTrade } from './channels/trades.js';
export {
  standardSockets,
  wsSockets,
  type LiveState,
  type OpenSocket,
  type WebSocketClass,
} from './connection/index.js';
export {
  createLive,
  liveOptions,
  liveUrlOf,
  type Live,
  type LiveCandle,
  type LiveOptions,
  type LiveReads,
  type TappedLive,
} from './live.js';
export type { AccountStatus, AccountValue } from './my/account-state.js';
export type { Execution, ExecutionCursor, LiveExecutionItem } from '../model/deal.js';
export type { ListedOrders, OrderReads } from './my/account.js';
export type { LiveOpenOrders, LiveOrderItem } from './my/order-run.js';
export type { OrderChange } from './my/order-states.js';
export type { My } from './my/my.js';
export type { CollateralEventItem } from './channels/account.js';
export type { LiveConnectionEvent, LiveEvent, LiveGapEvent } from './connections.js';
export type { LiveOrderBook } from './order-book/index.js';
export type { LiveTradeItem } from './trade-stream.js';
export { someMarkets } from './markets.js';
export { valuesEvery, type LiveStatus } from './values.js';
