// Market data: the tape of trades, and what is computed from it and from the book.
export { rowsOf, type BookRow, type PricedAmount } from './book-rows.js';
export { candleAt, candlesOf, type CandleInterval } from './candles.js';
export { Past, tradeIntervalMs } from './past.js';
export { Tape } from './tape.js';
export type { Candle, MarketTrade, NewTrade } from './trade.js';
