import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { type AdlQuantile, adlQuantileSchema } from '../../model/position.js';
import { listOf } from '../../model/tolerant.js';

export type { AdlQuantile } from '../../model/position.js';

/**
 * Reads the rank of your futures positions for automatic deleveraging (ADL), from 0, the safest, to 4. When a bankrupt
 * account cannot be closed at the market, the exchange closes positions of the highest rank against it.
 *
 * Lists the futures markets in which you have a position. Emits an empty list without any.
 *
 * @example
 * ```ts
 * exchange.collateral.adlQuantiles().subscribe((quantiles) => {
 *   for (const { market, long = 0, short = 0 } of quantiles) if (Math.max(long, short) === 4) console.log(market, 'is next');
 * });
 * ```
 */
export const adlQuantiles: Endpoint<NoParams, AdlQuantile[]> = defineEndpoint({
  name: 'collateral.adlQuantiles',
  path: '/api/v4/collateral-account/adl-quantile',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  response: listOf(adlQuantileSchema),
});
