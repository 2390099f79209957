import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { listOf } from '../../model/tolerant.js';
import { tradeSchema, type Trade } from '../../model/trade.js';
import { marketName, oneOf, type ParamsOf } from '../fields.js';
import { marketErrorCodes } from './error-codes.js';
import { publicRateLimits } from './rate-limit.js';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** Only trades whose taker was on this side. */
  type: v.exactOptional(oneOf(['buy', 'sell'])),
};

/** Parameters of {@link recentTrades}. */
export interface RecentTradesParams extends ParamsOf<typeof params> {}

/**
 * Lists the newest trades of a market, at most 100, newest first. There are no further pages. The names of the volumes
 * are reversed here: **`quote_volume` is the amount in the base currency**, and `base_volume` is the total in the quote
 * currency. The exchange refreshes the response every second.
 *
 * `GET /api/v4/public/trades/{market}` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s ·
 * a read, retried after a transient failure
 *
 * @throws {@link ApiError} with `reason` `market` (HTTP 422, `market`), `validation` (HTTP 422)
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/public.md#publicrecenttrades
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.public.recentTrades({ market: 'BTC_USDT' }).subscribe((trades) => {
 *   for (const { price, quote_volume: amount, type } of trades) console.log(type, amount, 'at', price);
 * });
 * ```
 */
export const recentTrades: Endpoint<RecentTradesParams, Trade[]> = defineEndpoint({
  name: 'public.recentTrades',
  method: 'GET',
  path: '/api/v4/public/trades/{market}',
  rateLimit: publicRateLimits,
  safety: 'read',
  request: v.strictObject(params),
  response: listOf(tradeSchema),
  errorCodes: marketErrorCodes,
});
