import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import {
  type TradeBalance,
  type TradeBalanceOf,
  tradeBalanceOfSchema,
  tradeBalanceSchema,
} from '../../model/balances.js';
import { isRequested } from '../agrees-on.js';
import { assetTicker, type ParamsOf } from '../fields.js';
import { ordersRateLimit } from '../rate-limits.js';

/**
 * Reads the trade balance by asset, which spot orders spend. An asset without a balance may be absent. {@link balanceOf}
 * reads one asset. Deposits arrive on the main balance, which `account.mainBalance` reads; collateral orders use
 * another balance.
 *
 * @example
 * ```ts
 * exchange.spot.balance().subscribe((balance) => console.log(balance['USDT']?.available ?? '0'));
 * ```
 */
export const balance: Endpoint<NoParams, TradeBalance> = defineEndpoint({
  name: 'spot.balance',
  path: '/api/v4/trade-account/balance',
  rateLimit: ordersRateLimit,
  safety: 'read',
  response: tradeBalanceSchema,
});

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
  matchesRequest: (requested, { ticker }) => isRequested(requested['ticker'], ticker),
});
