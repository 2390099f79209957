import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRequestedAsset, tradeBalanceOfSchema, type TradeBalanceOf } from '../../model/balances.js';
import { assetTicker, type ParamsOf } from '../fields.js';
import { ordersRateLimit } from '../orders/rate-limit.js';

const params = {
  /** The asset, such as `BTC`. */
  ticker: assetTicker,
};

/** Parameters of {@link balanceOf}. */
export interface BalanceOfParams extends ParamsOf<typeof params> {}

/**
 * Reads the trade balance of one asset, which spot orders spend. {@link balance} reads all assets. The exchange rejects
 * an asset that it does not have.
 *
 * @example
 * ```ts
 * exchange.spot.balanceOf({ ticker: 'USDT' }).subscribe(({ available, freeze }) => console.log(available, freeze));
 * ```
 */
export const balanceOf: Endpoint<BalanceOfParams, TradeBalanceOf> = defineEndpoint({
  name: 'spot.balanceOf',
  path: '/api/v4/trade-account/balance',
  rateLimit: ordersRateLimit,
  safety: 'read',
  request: v.strictObject(params),
  response: tradeBalanceOfSchema,
  matchesRequest: (requested, { ticker }) => isRequestedAsset(requested, ticker),
});
