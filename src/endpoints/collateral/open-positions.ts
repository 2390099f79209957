import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRequestedMarket } from '../../model/market.js';
import { positionSchema, type Position } from '../../model/position.js';
import { listOf } from '../../model/tolerant.js';
import { marketName, type ParamsOf } from '../fields.js';

const params = {
  /** Only positions of this market, such as `BTC_USDT` or `BTC_PERP`. */
  market: v.exactOptional(marketName),
};

/** Parameters of {@link openPositions}. */
export interface OpenPositionsParams extends ParamsOf<typeof params> {}

/**
 * Lists the open positions of the collateral account, margin and futures. Emits an empty list when no position is open.
 * In hedge mode a market may have two: see {@link hedgeMode}.
 *
 * @example
 * ```ts
 * import { concatMap } from 'rxjs';
 *
 * const { collateral } = exchange;
 * collateral
 *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '100000', ioc: true })
 *   .pipe(concatMap(({ market }) => collateral.openPositions({ market })))
 *   .subscribe((positions) => {
 *     for (const { amount, basePrice, unrealizedPnl } of positions) console.log(amount, 'at', basePrice, unrealizedPnl);
 *   });
 * ```
 */
export const openPositions: Endpoint<OpenPositionsParams, Position[]> = defineEndpoint({
  name: 'collateral.openPositions',
  path: '/api/v4/collateral-account/positions/open',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  request: v.strictObject(params),
  response: listOf(positionSchema),
  matchesRequest: (requested, positions) => positions.every(({ market }) => isRequestedMarket(requested, market)),
});
