import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { mainAccountRateLimit } from './rate-limit.js';
import { balanceSchema, type Balance } from '../../model/balances.js';

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
