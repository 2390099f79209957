import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { type Balance, balanceSchema, type MainBalanceOf, mainBalanceOfSchema } from '../../model/balances.js';
import { isRequested } from '../agrees-on.js';
import { assetTicker, type ParamsOf } from '../fields.js';
import { mainAccountRateLimit } from '../rate-limits.js';

/**
 * Reads the main balance by asset. The exchange leaves out assets whose balance is zero. {@link mainBalanceOf} reads
 * one asset. Deposits arrive on the main
 * balance; trading does not change it. {@link watchBalance} polls it.
 *
 * @example
 * ```ts
 * exchange.account.mainBalance().subscribe((balance) => console.log(balance['BTC']?.main_balance ?? '0'));
 * ```
 */
export const mainBalance: Endpoint<NoParams, Balance> = defineEndpoint({
  name: 'account.mainBalance',
  path: '/api/v4/main-account/balance',
  rateLimit: mainAccountRateLimit,
  safety: 'read',
  response: balanceSchema,
});

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
  matchesRequest: (requested, { ticker }) => isRequested(requested['ticker'], ticker),
});
