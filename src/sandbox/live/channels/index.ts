// The public channels, one line each, by the prefix of their methods.
export { bookTickerChannel as bookTicker } from './book-ticker.js';
export { candlesChannel as candles } from './candles.js';
export { depthChannel as depth } from './depth.js';
export { lastpriceChannel as lastprice } from './lastprice.js';
export { marketChannel as market, marketTodayChannel as marketToday } from './market.js';
export { premiumIndexChannel as premiumIndex } from './premium-index.js';
export { tradesChannel as trades } from './trades.js';
