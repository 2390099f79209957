import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { type OrderBook, orderBookSchema } from '../../model/order-book.js';
import { marketErrorCodes } from '../error-codes.js';
import { isRequested } from '../agrees-on.js';
import { boundedInteger, marketName, type ParamsOf } from '../fields.js';
import { publicRateLimits, tighterRateLimits } from '../rate-limits.js';

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
  rateLimit: tighterRateLimits(600),
  safety: 'read',
  request: v.strictObject(params),
  response: orderBookSchema,
  matchesRequest: (requested, { ticker_id }) => isRequested(requested['market'], ticker_id),
  errorCodes: marketErrorCodes,
});

const depthParams = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
};

/** Parameters of {@link marketDepth}. */
export interface MarketDepthParams extends ParamsOf<typeof depthParams> {}

/**
 * Reads the price levels of a market within 2 % of its last price, on either side. Levels are `[price, amount]`. The
 * exchange refreshes the response every second. A book with an unreadable level, that is not sorted, or that is crossed,
 * is a {@link ResponseError}.
 *
 * @example
 * ```ts
 * exchange.public.marketDepth({ market: 'BTC_USDT' }).subscribe(({ asks, bids }) => console.log(asks.length, bids.length));
 * ```
 */
export const marketDepth: Endpoint<MarketDepthParams, OrderBook> = defineEndpoint({
  name: 'public.marketDepth',
  method: 'GET',
  path: '/api/v4/public/orderbook/depth/{market}',
  rateLimit: publicRateLimits,
  safety: 'read',
  request: v.strictObject(depthParams),
  response: orderBookSchema,
  matchesRequest: (requested, { ticker_id }) => isRequested(requested['market'], ticker_id),
  errorCodes: marketErrorCodes,
});
