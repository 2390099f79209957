import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRequestedMarket } from '../../model/market.js';
import { orderBookSchema, type OrderBook } from '../../model/order-book.js';
import { marketName, type ParamsOf } from '../fields.js';
import { marketErrorCodes } from './error-codes.js';
import { publicRateLimits } from './rate-limit.js';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
};

/** Parameters of {@link marketDepth}. */
export interface MarketDepthParams extends ParamsOf<typeof params> {}

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
  request: v.strictObject(params),
  response: orderBookSchema,
  matchesRequest: (requested, { ticker_id }) => isRequestedMarket(requested, ticker_id),
  errorCodes: marketErrorCodes,
});
