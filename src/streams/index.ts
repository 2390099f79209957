// The door of the streams: balances, market data, positions, open orders and the health of the exchange, as they change.
export type { BalanceChange } from './balance-changes.js';
export type {
  AllBalancesUpdate,
  BalanceUpdate,
  CollateralBalanceUpdate,
  SpotBalanceUpdate,
} from './balance-updates.js';
export type { Health } from './health.js';
export { watchBalance, type WatchBalanceOptions } from './watch-balance.js';
export { watchCandles, type CandleItem, type WatchCandlesOptions } from './watch-candles.js';
export { watchHealth, type WatchHealthOptions } from './watch-health.js';
export { watchOpenOrders, type OpenOrdersUpdate, type WatchOpenOrdersOptions } from './watch-open-orders.js';
export { watchOrderBook, type OrderBookUpdate, type WatchOrderBookOptions } from './watch-order-book.js';
export { watchPositions, type PositionsUpdate, type WatchPositionsOptions } from './watch-positions.js';
export { watchTicker, type TickerUpdate, type WatchTickerOptions } from './watch-ticker.js';
export { watchTrades, type TradeItem, type WatchTradesOptions } from './watch-trades.js';
