import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import {
  listOf,
  decimalText,
  integer,
  number,
  optionalDecimal,
  optionalEnum,
  optionalFlag,
  record,
  type RecordOf,
} from '../../model/tolerant.js';
import { marketName, oneOf, type ParamsOf } from '../fields.js';
import { marketErrorCodes } from './error-codes.js';
import { publicRateLimits } from './rate-limit.js';

const tradeFields = {
  /** The exchange's number of the trade. */
  tradeID: integer,
  /** Price, quote currency. */
  price: decimalText,
  /** Amount, **base** currency: the exchange's name says the opposite. */
  quote_volume: decimalText,
  /** Total (amount times price), **quote** currency: the exchange's name says the opposite. */
  base_volume: optionalDecimal,
  /** Time of the trade, Unix seconds. */
  trade_timestamp: number,
  /** Side of the taker. */
  type: optionalEnum(['buy', 'sell']),
  /** Whether the maker was a retail price improvement order. Absent in older responses. */
  rpi: optionalFlag,
};

/** A public trade of a market. Unknown fields are kept. */
export interface Trade extends RecordOf<typeof tradeFields> {}

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
  response: listOf(record(tradeFields)),
  errorCodes: marketErrorCodes,
});
