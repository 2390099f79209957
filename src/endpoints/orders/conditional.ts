import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../define-endpoint.js';
import { conditionalOrdersSchema, ordersOf } from '../../model/conditional-order.js';
import { isNamedBy } from '../../model/order.js';
import { isPageAsked, pageFields } from '../../model/paging.js';
import { ordersRateLimit } from './rate-limit.js';
import { marketName } from '../fields.js';

const request = v.strictObject({
  /** Only those of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
  /** How many, 1 to 100. Default 100. */
  limit: pageFields.limit,
  /** How many to leave out first, 0 to 10000. Default 0. */
  offset: pageFields.offset,
});

/** Parameters of {@link conditional}. */
export interface ConditionalParams extends v.InferInput<typeof request> {}

/** A page of conditional orders. */
export interface ConditionalOrderPage extends v.InferOutput<typeof conditionalOrdersSchema> {}

/**
 * Lists the account's conditional orders that have not been executed, a page at a time: collateral limit orders with a
 * stop loss or a take profit (OTO), and pairs of which one cancels the other (OCO). {@link open} need not list
 * these.
 *
 * Errors: those of every call, see {@link AnyExchangeError}.
 *
 * `POST /api/v4/conditional-orders` · private · limit group `orders`, 12000 requests / 10 s (with open orders and the
 * order history) · repeated after 503
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const logStops = (exchange: Exchange) =>
 *   exchange.orders.conditional({ market: 'BTC_USDT' }).subscribe(({ records }) => {
 *     for (const { conditionalOrder, stopLossPrice } of records) console.log(conditionalOrder?.order_id, stopLossPrice);
 *   });
 * ```
 */
export const conditional: Endpoint<ConditionalParams, ConditionalOrderPage> = defineEndpoint({
  name: 'orders.conditional',
  method: 'POST',
  path: '/api/v4/conditional-orders',
  rateLimit: ordersRateLimit,
  authentication: 'signed',
  safety: 'read',
  request,
  response: conditionalOrdersSchema,
  matchesRequest: ({ market, ...page }, output) =>
    isPageAsked(page, output) && output.records.flatMap(ordersOf).every((order) => isNamedBy({ market }, order)),
});
