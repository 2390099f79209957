import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { futuresMarketSchema, type FuturesMarket } from '../../model/futures-market.js';
import { listOf } from '../../model/tolerant.js';
import { regionErrorCodes } from './error-codes.js';
import { publicRateLimits } from './rate-limit.js';

/**
 * Lists the futures markets with their prices, funding rate and leverage. `next_funding_rate_timestamp` is in
 * milliseconds, unlike every other time of the exchange. The exchange refreshes prices every second.
 *
 * `GET /api/v4/public/futures` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s · a read,
 * retried after a transient failure
 *
 * @throws {@link ApiError} with `reason` `region` (HTTP 451)
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/public.md#publicfuturesmarkets
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.public.futuresMarkets().subscribe((markets) => {
 *   for (const { ticker_id, funding_rate, max_leverage } of markets) console.log(ticker_id, funding_rate, max_leverage);
 * });
 * ```
 */
export const futuresMarkets: Endpoint<NoParams, FuturesMarket[]> = defineEndpoint({
  name: 'public.futuresMarkets',
  method: 'GET',
  path: '/api/v4/public/futures',
  rateLimit: publicRateLimits,
  safety: 'read',
  request: v.strictObject({}),
  response: listOf(futuresMarketSchema),
  envelope: true,
  errorCodes: regionErrorCodes,
});
