import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { delistedOrderSchema, type DelistedOrder } from '../../model/delisted-order.js';
import { boundedInteger, maxOffset } from '../../model/paging.js';
import { listOf } from '../../model/tolerant.js';
import { marketName, oneOf, unixSeconds, type ParamsOf } from '../fields.js';
import { historyPeriodRule, isHistoryPeriod } from './deal-requests.js';
import { ordersRateLimit } from './rate-limit.js';

const defaultLimit = 500;

const params = {
  /** Only orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
  /** Only orders that were `filled`, or ended by the `delisting`. The status of a listed order has other words. */
  status: v.exactOptional(oneOf(['filled', 'delisting'])),
  /**
   * Only orders that ended from this time on, Unix seconds.
   *
   * @default 30 days before `endDate`
   */
  startDate: v.exactOptional(unixSeconds),
  /** Only orders that ended up to this time, Unix seconds. At most 31 days after `startDate`. */
  endDate: v.exactOptional(unixSeconds),
  /**
   * Maximum number of orders, 1 to 500.
   *
   * @default 500
   */
  limit: v.exactOptional(boundedInteger(1, defaultLimit)),
  /**
   * Number of orders to skip, 0 to 9999. Together with `limit` at most 10000.
   *
   * @default 0
   */
  offset: v.exactOptional(boundedInteger(0, maxOffset - 1)),
};

const request = v.pipe(
  v.strictObject(params),
  v.forward(v.partialCheck([['startDate'], ['endDate']], isHistoryPeriod, historyPeriodRule), ['endDate']),
  v.forward(
    v.partialCheck(
      [['limit'], ['offset']],
      ({ limit = defaultLimit, offset = 0 }) => limit + offset <= maxOffset,
      `and limit (500 by default) must be at most ${maxOffset} together`,
    ),
    ['offset'],
  ),
);

/** Parameters of {@link delisted}. */
export interface DelistedParams extends ParamsOf<typeof params> {}

/**
 * Lists the orders that the exchange ended because it delisted their market, the newest end first. They are listed here
 * when their market is no longer listed.
 *
 * `POST /api/v4/trade-account/order/history/query` · signed · 10000 requests / 10 s and 12000 requests / 10 s (rate
 * limit `orders`) · a read, retried after a transient failure
 *
 * @throws {@link ApiError} with `reason` `validation` (30), `market` (31)
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/orders.md#ordersdelisted
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.orders.delisted({ status: 'delisting' }).subscribe((list) => {
 *   for (const { market, order_id, deal_stock } of list) console.log(market, order_id, 'filled', deal_stock);
 * });
 * ```
 */
export const delisted: Endpoint<DelistedParams, DelistedOrder[]> = defineEndpoint({
  name: 'orders.delisted',
  path: '/api/v4/trade-account/order/history/query',
  rateLimit: [{ limit: 10_000, windowMs: 10_000 }, ordersRateLimit],
  safety: 'read',
  request,
  response: listOf(delistedOrderSchema),
  matchesRequest: ({ market }, list) => list.every((order) => market === undefined || order.market === market),
});
