import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { marketErrorCodes } from '../error-codes.js';
import { marketName, oneOf, type ParamsOf } from '../fields.js';
import { publicRateLimits } from '../rate-limits.js';

const tradeFields = {
  /** The exchange's number of the trade. */
  tradeID: t.integer,
  /** Price, quote currency. */
  price: t.decimalText,
  /** Amount, **base** currency: the exchange's name says the opposite. */
  quote_volume: t.decimalText,
  /** Total (amount times price), **quote** currency: the exchange's name says the opposite. */
  base_volume: t.optionalDecimal,
  /** Time of the trade, Unix seconds. */
  trade_timestamp: t.number,
  /** Side of the taker. */
  type: t.optionalEnum(['buy', 'sell']),
  /** Whether the maker was a retail price improvement order. Absent in older responses. */
  rpi: t.optionalFlag,
};

/** A public trade of a market. Unknown fields are kept. */
export interface Trade extends t.RecordOf<typeof tradeFields> {}

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
 * @example
 * ```ts
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
  response: t.listOf(t.record(tradeFields)),
  errorCodes: marketErrorCodes,
});
