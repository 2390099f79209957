// Written by `npm run docs`: the members of `exchange.public`.
export * from './asset-fees.js';
export * from './assets.js';
export * from './candles.js';
export * from './funding-rate-history.js';
export * from './futures-markets.js';
export * from './markets.js';
export * from './mining-pool.js';
export * from './order-book.js';
export * from './recent-trades.js';
export * from './service.js';
export * from './tickers.js';
