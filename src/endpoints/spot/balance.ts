import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { tradeBalanceSchema, type TradeBalance } from '../../model/balances.js';
import { ordersRateLimit } from '../orders/rate-limit.js';

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
