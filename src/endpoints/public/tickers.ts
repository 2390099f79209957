import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { tickerSchema, type Ticker } from '../../model/ticker.js';
import { mapOf } from '../../model/tolerant.js';
import { publicRateLimits } from './rate-limit.js';

/** Tickers by market: `{ BTC_USDT: ticker, … }`. */
export interface Tickers extends Record<string, Ticker> {}

/**
 * Reads the last price and the 24-hour activity of every market, by market. Volumes have their usual meaning here:
 * `base_volume` is an amount of the base currency. The exchange refreshes the response every second.
 *
 * `GET /api/v4/public/ticker` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s · a read,
 * retried after a transient failure
 *
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/public.md#publictickers
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.public.tickers().subscribe((tickers) => console.log(tickers['BTC_USDT']?.last_price));
 * ```
 */
export const tickers: Endpoint<NoParams, Tickers> = defineEndpoint({
  name: 'public.tickers',
  method: 'GET',
  path: '/api/v4/public/ticker',
  rateLimit: publicRateLimits,
  safety: 'read',
  request: v.strictObject({}),
  response: mapOf(tickerSchema),
});
