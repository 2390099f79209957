/**
 * Streams of balances, market data, positions, open orders and the exchange's health. They poll, or take market data from
 * the live connection, and do not end when a poll fails.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import { watchHealth } from 'exchange-rx/streams';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * watchHealth(exchange, { everyMs: 1000 }).subscribe(({ state }) => console.log(state));
 * ```
 *
 * @packageDocumentation
 */
export { balanceChanges, type BalanceChange } from './balance-changes.js';
export type {
  AllBalancesUpdate,
  BalanceUpdate,
  CollateralBalanceUpdate,
  SpotBalanceUpdate,
  WalletAsset,
  WalletBalanceChange,
  WalletName,
} from './balance-updates.js';
export type { CandleSeriesItem } from './candle-series.js';
export type { Health, HealthReason, HealthThresholds, PingLatency } from './health.js';
export type { ListChange } from './list-changes.js';
export type { StreamFailure } from './polled-events.js';
export type { StateUpdate } from './polled-state.js';
export type { WatchLiveOptions } from './live-or-polls.js';
export type { WatchOptions } from './polls.js';
export type { TapeItem } from './trade-tape.js';
export type { SpotBalanceChange } from './wallets.js';
export { watchBalance, type WatchBalanceOptions } from './watch-balance.js';
export { watchCandles, type CandleItem, type WatchCandlesOptions } from './watch-candles.js';
export { watchHealth, type WatchHealthOptions } from './watch-health.js';
export { watchOpenOrders, type OpenOrdersUpdate, type WatchOpenOrdersOptions } from './watch-open-orders.js';
export { watchOrderBook, type OrderBookUpdate, type WatchOrderBookOptions } from './watch-order-book.js';
export { watchPositions, type PositionsUpdate, type WatchPositionsOptions } from './watch-positions.js';
export { watchTicker, type TickerUpdate, type WatchTickerOptions } from './watch-ticker.js';
export { watchTrades, type TradeItem, type WatchTradesOptions } from './watch-trades.js';
export type { LiveGap, StreamGap } from '../model/stream-gap.js';
