import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { type Market, marketSchema } from '../../model/market.js';
import { listOf, text } from '../../model/tolerant.js';
import { regionErrorCodes } from '../error-codes.js';
import { publicRateLimits } from '../rate-limits.js';

/**
 * Lists the markets and their trading rules: minimum and maximum, decimal places, fees. The exchange refreshes the
 * response every 10 s. With `checkOrders: true` the client itself reads the markets before the first order.
 *
 * @example
 * ```ts
 * exchange.public.markets().subscribe((markets) => console.log(markets.map(({ name }) => name)));
 * ```
 */
export const markets: Endpoint<NoParams, Market[]> = defineEndpoint({
  name: 'public.markets',
  method: 'GET',
  path: '/api/v4/public/markets',
  rateLimit: publicRateLimits,
  safety: 'read',
  response: listOf(marketSchema),
});

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
