import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { assetTicker, type ParamsOf } from '../fields.js';
import { mainAccountRateLimit } from './rate-limit.js';
import { isRequestedAsset, mainBalanceOfSchema, type MainBalanceOf } from '../../model/balances.js';

const params = {
  /** The asset, such as `BTC`. */
  ticker: assetTicker,
};

/** Parameters of {@link mainBalanceOf}. */
export interface MainBalanceOfParams extends ParamsOf<typeof params> {}

/**
 * Reads the main balance of one asset. {@link mainBalance} reads all assets. The balance of an asset that the exchange
 * does not have is `'0'`.
 *
 * @example
 * ```ts
 * exchange.account.mainBalanceOf({ ticker: 'BTC' }).subscribe(({ main_balance }) => console.log(main_balance));
 * ```
 */
export const mainBalanceOf: Endpoint<MainBalanceOfParams, MainBalanceOf> = defineEndpoint({
  name: 'account.mainBalanceOf',
  path: '/api/v4/main-account/balance',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  request: v.strictObject(params),
  response: mainBalanceOfSchema,
  matchesRequest: (requested, { ticker }) => isRequestedAsset(requested, ticker),
});
