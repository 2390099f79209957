import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRequestedMarket } from '../../model/market.js';
import { orderBookSchema, type OrderBook } from '../../model/order-book.js';
import { marketName, type ParamsOf, boundedInteger } from '../fields.js';
import { marketErrorCodes } from './error-codes.js';
import { tighterRateLimits } from './rate-limit.js';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /**
   * Maximum number of price levels of each side, 0 to 100. 0 means 100.
   *
   * @default 100
   */
  limit: v.exactOptional(boundedInteger(0, 100)),
  /**
   * Aggregation of prices, 0 to 10: 0 is none; 1 to 5 aggregate.
   *
   * @default 0
   */
  level: v.exactOptional(boundedInteger(0, 10)),
};

/** Parameters of {@link orderBook}. */
export interface OrderBookParams extends ParamsOf<typeof params> {}

/**
 * Reads the order book of a market: the best price levels, at most 100 of each side. Levels are `[price, amount]`. The
 * book has no retail price improvement (RPI) orders, and `timestamp` is the time of the response. The exchange
 * refreshes the response every 100 ms. A book with an unreadable level, that is not sorted, or that is crossed, is a
 * {@link ResponseError}.
 *
 * @example
 * ```ts
 * exchange.public.orderBook({ market: 'BTC_USDT', limit: 5 }).subscribe(({ asks, bids }) => {
 *   const [[ask] = [], [bid] = []] = [asks[0], bids[0]];
 *   console.log(`bid ${bid}, ask ${ask}`);
 * });
 * ```
 */
export const orderBook: Endpoint<OrderBookParams, OrderBook> = defineEndpoint({
  name: 'public.orderBook',
  method: 'GET',
  path: '/api/v4/public/orderbook/{market}',
  rateLimit: tighterRateLimits({ limit: 600, windowMs: 10_000 }),
  safety: 'read',
  request: v.strictObject(params),
  response: orderBookSchema,
  matchesRequest: (requested, { ticker_id }) => isRequestedMarket(requested, ticker_id),
  errorCodes: marketErrorCodes,
});
