import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { collateralSummarySchema, type CollateralSummary } from '../../model/balances.js';

/**
 * Reads the collateral account as a whole: equity, margin in use, free margin and leverage. Margin and futures positions
 * share them. Values are in USDT.
 *
 * @example
 * ```ts
 * exchange.collateral.summary().subscribe(({ equity, freeMargin, leverage }) => console.log(equity, freeMargin, leverage));
 * ```
 */
export const summary: Endpoint<NoParams, CollateralSummary> = defineEndpoint({
  name: 'collateral.summary',
  path: '/api/v4/collateral-account/summary',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  response: collateralSummarySchema,
});
