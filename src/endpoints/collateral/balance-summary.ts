import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRequestedAsset, collateralAssetSchema, type CollateralAsset } from '../../model/balances.js';
import { listOf } from '../../model/tolerant.js';
import { assetTicker, type ParamsOf } from '../fields.js';

const params = {
  /** Only the balance of this asset, such as `USDT`. */
  ticker: v.exactOptional(assetTicker),
};

/** Parameters of {@link balanceSummary}. */
export interface BalanceSummaryParams extends ParamsOf<typeof params> {}

/**
 * Lists the assets of the collateral account. Each has its balance, its loan, and what is available with and without
 * borrowing. All amounts of an asset are in that asset.
 *
 * @example
 * ```ts
 * exchange.collateral.balanceSummary().subscribe((assets) => {
 *   for (const { asset, balance, availableWithoutBorrow } of assets) console.log(asset, balance, availableWithoutBorrow);
 * });
 * ```
 */
export const balanceSummary: Endpoint<BalanceSummaryParams, CollateralAsset[]> = defineEndpoint({
  name: 'collateral.balanceSummary',
  path: '/api/v4/collateral-account/balance-summary',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  request: v.strictObject(params),
  response: listOf(collateralAssetSchema),
  matchesRequest: (requested, assets) => assets.every(({ asset }) => isRequestedAsset(requested, asset)),
});
