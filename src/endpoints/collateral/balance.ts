import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import {
  type CollateralAsset,
  collateralAssetSchema,
  type CollateralBalance,
  collateralBalanceSchema,
  type CollateralSummary,
  collateralSummarySchema,
} from '../../model/balances.js';
import { listOf } from '../../model/tolerant.js';
import { isRequested } from '../agrees-on.js';
import { assetTicker, type ParamsOf } from '../fields.js';

const params = {
  /** Only the balance of this asset, such as `USDT`. */
  ticker: v.exactOptional(assetTicker),
};

/** Parameters of {@link balance}. */
export interface BalanceParams extends ParamsOf<typeof params> {}

/**
 * Reads the collateral balance by asset: `{ USDT: "1000.5" }`. An asset without a balance may be absent.
 * {@link balanceSummary} says what of it is available, and {@link summary} has the margin of the account.
 *
 * @example
 * ```ts
 * exchange.collateral.balance().subscribe((balance) => console.log(balance['USDT'] ?? '0'));
 * ```
 */
export const balance: Endpoint<BalanceParams, CollateralBalance> = defineEndpoint({
  name: 'collateral.balance',
  path: '/api/v4/collateral-account/balance',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  request: v.strictObject(params),
  response: collateralBalanceSchema,
  matchesRequest: (requested, byAsset) =>
    Object.keys(byAsset).every((asset) => isRequested(requested['ticker'], asset)),
});

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
  matchesRequest: (requested, assets) => assets.every(({ asset }) => isRequested(requested['ticker'], asset)),
});

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
