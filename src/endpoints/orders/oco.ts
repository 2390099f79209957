import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { legsOf, ocoOrderSchema, type OcoOrder } from '../../model/oco-order.js';
import { isNamedBy } from '../../model/placed-as.js';
import { listOf } from '../../model/tolerant.js';
import { marketName, type ParamsOf } from '../fields.js';
import { ordersRateLimit } from './rate-limit.js';
import { pageLimit, offsetParam, type OffsetParam } from '../list-params.js';

const params = {
  /** Only the OCO orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
  /**
   * Maximum number of OCO orders, 1 to 100.
   *
   * @default 50
   */
  limit: pageLimit,
};

/** Parameters of {@link oco}. */
export interface OcoParams extends OffsetParam, ParamsOf<typeof params> {}

/**
 * Lists the open OCO orders. An OCO order whose stop order was activated, or one of whose orders was filled, has ended:
 * {@link open} and {@link history} list its orders.
 *
 * @example
 * ```ts
 * exchange.orders.oco({ market: 'BTC_USDT' }).subscribe((list) => {
 *   for (const { id, take_profit, stop_loss } of list) console.log(id, take_profit?.price, stop_loss?.activation_price);
 * });
 * ```
 */
export const oco: Endpoint<OcoParams, OcoOrder[]> = defineEndpoint({
  name: 'orders.oco',
  path: '/api/v4/oco-orders',
  rateLimit: ordersRateLimit,
  safety: 'read',
  page: { defaultLimit: 50 },
  request: v.strictObject({ ...params, ...offsetParam }),
  response: listOf(ocoOrderSchema),
  matchesRequest: ({ market }, list) => list.flatMap(legsOf).every((order) => isNamedBy({ market }, order)),
});
