import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { type Market, marketSchema } from '../../model/market.js';
import { listOf } from '../../model/tolerant.js';
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
