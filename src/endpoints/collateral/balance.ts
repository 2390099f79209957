import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRequestedAsset, collateralBalanceSchema, type CollateralBalance } from '../../model/balances.js';
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
  matchesRequest: (requested, byAsset) => Object.keys(byAsset).every((asset) => isRequestedAsset(requested, asset)),
});
