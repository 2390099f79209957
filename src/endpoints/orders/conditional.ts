import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { conditionalOrderPageSchema, ordersOf, type ConditionalOrderPage } from '../../model/conditional-order.js';
import { isNamedBy } from '../../model/placed-as.js';
import { isRequestedPage } from '../../model/paging.js';
import { marketName, type ParamsOf } from '../fields.js';
import { ordersRateLimit } from './rate-limit.js';
import { pageLimit, offsetParam, type OffsetParam } from '../list-params.js';

const params = {
  /** Only the conditional orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
  /**
   * Maximum number of conditional orders, 1 to 100.
   *
   * @default 100
   */
  limit: pageLimit,
};

/** Parameters of {@link conditional}. */
export interface ConditionalParams extends OffsetParam, ParamsOf<typeof params> {}

export type { ConditionalOrderPage } from '../../model/conditional-order.js';

/**
 * Lists a page of the conditional orders that are not executed yet. These are collateral limit orders with a stop loss
 * or a take profit (OTO), and pairs of which one cancels the other (OCO). {@link open} does not always list them.
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
  path: '/api/v4/conditional-orders',
  rateLimit: ordersRateLimit,
  safety: 'read',
  page: { defaultLimit: 100 },
  request: v.strictObject({ ...params, ...offsetParam }),
  response: conditionalOrderPageSchema,
  matchesRequest: ({ market, ...page }, output) =>
    isRequestedPage(page, output) && output.records.flatMap(ordersOf).every((order) => isNamedBy({ market }, order)),
});
