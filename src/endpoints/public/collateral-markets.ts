import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { listOf, text } from '../../model/tolerant.js';
import { regionErrorCodes } from './error-codes.js';
import { publicRateLimits } from './rate-limit.js';

/**
 * Lists the names of the markets that trade on collateral, margin and futures. The exchange refreshes the response
 * every 10 s.
 *
 * `GET /api/v4/public/collateral/markets` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10
 * s · a read, retried after a transient failure
 *
 * @throws {@link ApiError} with `reason` `region` (HTTP 451)
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/public.md#publiccollateralmarkets
 * @example
 * ```ts
 * exchange.public.collateralMarkets().subscribe((markets) => console.log(markets.includes('BTC_USDT')));
 * ```
 */
export const collateralMarkets: Endpoint<NoParams, string[]> = defineEndpoint({
  name: 'public.collateralMarkets',
  method: 'GET',
  path: '/api/v4/public/collateral/markets',
  rateLimit: publicRateLimits,
  safety: 'read',
  response: listOf(text),
  envelope: true,
  errorCodes: regionErrorCodes,
});
