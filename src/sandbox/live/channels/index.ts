// The public channels, one line each, by the prefix of their methods.
export { bookTickerChannel as bookTicker } from './book-ticker.js';
export { candlesChannel as candles } from './candles.js';
export { depthChannel as depth } from './depth.js';
export {
  lastpriceChannel as lastprice,
  marketChannel as market,
  marketTodayChannel as marketToday,
  premiumIndexChannel as premiumIndex,
} from './statistics.js';
export { tradesChannel as trades } from './trades.js';
