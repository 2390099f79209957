import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { mapOf } from '../../model/tolerant.js';
import { publicRateLimits } from '../rate-limits.js';
import { type AssetFees, assetFeesSchema } from './transfer-fee.js';

/**
 * Fees by asset: `{ BTC: fees, … }`. An asset of several networks has a key for each, such as `USDT (ERC20)`, whose
 * `ticker` is the asset.
 */
export interface FeesByAsset extends Record<string, AssetFees> {}

/** 2,000 assets and networks, of which a part has fees for each provider, have 90,000. */
const maxParts = 160_000;

/**
 * Reads the fees of deposits and withdrawals, by asset and network. These are not the fees of trading, which are those
 * of {@link markets}. The exchange refreshes the response about every minute.
 *
 * @example
 * ```ts
 * exchange.public.assetFees().subscribe((fees) => console.log(fees['BTC']?.withdraw));
 * ```
 */
export const assetFees: Endpoint<NoParams, FeesByAsset> = defineEndpoint({
  name: 'public.assetFees',
  method: 'GET',
  path: '/api/v4/public/fee',
  rateLimit: publicRateLimits,
  safety: 'read',
  response: mapOf(assetFeesSchema),
  maxResponseParts: maxParts,
});
