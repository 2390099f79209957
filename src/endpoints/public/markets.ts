import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../define-endpoint.js';
import { marketSchema, type Market } from '../../model/market.js';
import { listOf } from '../../model/tolerant.js';
import { publicRateLimit } from './rate-limit.js';

/**
 * Lists the markets and their constraints: minima, maxima, decimal places, fees. The exchange refreshes the answer
 * every 10 s.
 *
 * Errors: those of every call, see {@link AnyExchangeError}.
 *
 * `GET /api/v4/public/markets` · public · limit group `public`, 2000 requests / 10 s · repeated after 503
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.public.markets().subscribe((markets) => console.log(markets.map(({ name }) => name)));
 * ```
 */
export const markets: Endpoint<NoParams, Market[]> = defineEndpoint({
  name: 'public.markets',
  method: 'GET',
  path: '/api/v4/public/markets',
  rateLimit: publicRateLimit,
  authentication: 'none',
  safety: 'read',
  request: v.strictObject({}),
  response: listOf(marketSchema),
});
