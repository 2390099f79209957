import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { publicRateLimits } from '../rate-limits.js';

const tickerFields = {
  /** Price of the last trade, quote currency. */
  last_price: t.decimalText,
  /** Traded in the last 24 h, base currency. */
  base_volume: t.optionalDecimal,
  /** Traded in the last 24 h, quote currency. */
  quote_volume: t.optionalDecimal,
  /** Change of the price over the last 24 h, percent. */
  change: t.optionalDecimal,
  /** Whether trading is suspended. */
  isFrozen: t.optionalFlag,
  /** CoinMarketCap's number of the base currency; 0 when it is unknown. */
  base_id: t.optionalNumber,
  /** CoinMarketCap's number of the quote currency; 0 when it is unknown. */
  quote_id: t.optionalNumber,
};

/** Last price and 24-hour activity of a market. Unknown fields are kept. */
export interface Ticker extends t.RecordOf<typeof tickerFields> {}

/** Tickers by market: `{ BTC_USDT: ticker, … }`. */
export interface Tickers extends Record<string, Ticker> {}

/**
 * Reads the last price and the 24-hour activity of every market, by market. Volumes have their usual meaning here:
 * `base_volume` is an amount of the base currency. The exchange refreshes the response every second.
 *
 * @example
 * ```ts
 * exchange.public.tickers().subscribe((tickers) => console.log(tickers['BTC_USDT']?.last_price));
 * ```
 */
export const tickers: Endpoint<NoParams, Tickers> = defineEndpoint({
  name: 'public.tickers',
  method: 'GET',
  path: '/api/v4/public/ticker',
  rateLimit: publicRateLimits,
  safety: 'read',
  response: t.mapOf(t.record(tickerFields)),
});
