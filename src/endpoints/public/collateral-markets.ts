import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { listOf, text } from '../../model/tolerant.js';
import { regionErrorCodes } from '../error-codes.js';
import { publicRateLimits } from '../rate-limits.js';

/**
 * Lists the names of the markets that trade on collateral, margin and futures. The exchange refreshes the response
 * every 10 s.
 *
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
