import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { tradingFeesSchema, type TradingFees } from '../../model/trading-fees.js';

/**
 * Reads the fees of the account's trades, in percent: `"0.1"` is 0.1 %. A market of `custom_fee` has the fees that it
 * states, every other market those of `taker` and `maker`, or of `futures_taker` and `futures_maker`. Fees of deposits
 * and withdrawals are those of `public.assetFees`.
 *
 * `POST /api/v4/market/fee` · signed · 10000 requests / 10 s · a read, retried after a transient failure
 *
 * @throws {@link ApiError} with `reason` `validation` (30)
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/spot.md#spotfees
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.spot.fees().subscribe((fees) => {
 *   const { taker, maker } = fees.custom_fee?.['BTC_USDT'] ?? fees;
 *   console.log(`taker ${taker} %, maker ${maker} %`);
 * });
 * ```
 */
export const fees: Endpoint<NoParams, TradingFees> = defineEndpoint({
  name: 'spot.fees',
  path: '/api/v4/market/fee',
  safety: 'read',
  // The exchange ignores its parameter `market`.
  request: v.strictObject({}),
  response: tradingFeesSchema,
});
