import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../define-endpoint.js';
import { namedSchema } from '../../model/map.js';
import { historicalOrderSchema, isNamedBy, type HistoricalOrder } from '../../model/order.js';
import { boundedInteger, pageFields } from '../../model/paging.js';
import { mapOf, partOf } from '../../model/tolerant.js';
import { unreadableIn } from '../../model/unreadable.js';
import { ordersRateLimit } from './rate-limit.js';
import { clientOrderId, marketName, orderId, text } from '../fields.js';

/** Up to the year 5138: milliseconds are refused. */
const unixSeconds = boundedInteger(0, 99_999_999_999);
const maxSpanSeconds = 31 * 24 * 60 * 60;

const request = v.pipe(
  v.strictObject({
    /** Only orders of this market, `BASE_QUOTE`. */
    market: v.exactOptional(marketName),
    /** Only the order with this number of the exchange's. */
    order_id: v.exactOptional(orderId),
    /** Only the order with this identifier of yours. */
    client_order_id: v.exactOptional(clientOrderId),
    /** How many orders, 1 to 500. Default 50. */
    limit: v.exactOptional(boundedInteger(1, 500)),
    /** How many orders to leave out first, 0 to 10000. Default 0. */
    offset: pageFields.offset,
    /** Only orders from this time on, Unix seconds; at most 6 months back. */
    startDate: v.exactOptional(unixSeconds),
    /** Only orders up to this time, Unix seconds; at most 31 days after `startDate`. */
    endDate: v.exactOptional(unixSeconds),
    /** Only orders of this status, as the exchange spells it: see {@link OrderStatus}. */
    status: v.exactOptional(text),
  }),
  v.forward(
    v.partialCheck(
      [['startDate'], ['endDate']],
      ({ startDate, endDate }) =>
        startDate === undefined ||
        endDate === undefined ||
        (endDate >= startDate && endDate - startDate <= maxSpanSeconds),
      'must be at or after startDate, by at most 31 days',
    ),
    ['endDate'],
  ),
);

/** Orders that have ended, by market. */
export type OrderHistory = Record<string, HistoricalOrder[]>;

const response = v.pipe(
  namedSchema,
  v.record(v.string(), v.unknown()),
  v.check(
    (history) => Object.keys(history).every((market) => v.is(marketName, market)),
    'must have markets as its keys',
  ),
  v.transform(withMarkets),
  mapOf(partOf(historicalOrderSchema)),
  v.check(
    (history) => unreadableIn(history) === undefined || Object.values(history).some((orders) => orders.length > 0),
    'must have an order that can be read',
  ),
);

/** Parameters of {@link history}. */
export interface HistoryParams extends v.InferInput<typeof request> {}

/**
 * Lists the account's orders that have ended, by market.
 *
 * Errors: {@link ApiError} with `reason: 'order-not-found'` when no order has the given `client_order_id`, and those of
 * every call, see {@link AnyExchangeError}.
 *
 * `POST /api/v4/trade-account/order/history` · private · limit group `orders`, 12000 requests / 10 s (with open orders)
 * · repeated after 503
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.orders.history({ market: 'BTC_USDT', limit: 10 }).subscribe((history) => console.log(history['BTC_USDT']?.length ?? 0));
 * ```
 */
export const history: Endpoint<HistoryParams, OrderHistory> = defineEndpoint({
  name: 'orders.history',
  method: 'POST',
  path: '/api/v4/trade-account/order/history',
  rateLimit: ordersRateLimit,
  authentication: 'signed',
  safety: 'read',
  request,
  response,
  matchesRequest: ({ market: asked, ...names }, history) =>
    Object.entries(history).every(
      ([market, orders]) =>
        (asked === undefined || asked === market) &&
        orders.every((order) => order.market === market && isNamedBy(names, order)),
    ),
  errorCodes: [{ code: 30, field: 'orderHistory', reason: 'order-not-found' }],
});

/**
 * The market is the key that an order stands under, not a field of it; callers get it as one. What is no list, or no
 * order, is left to the schema.
 */
function withMarkets(history: Record<string, unknown>): unknown {
  return Object.fromEntries(
    Object.entries(history).map(([market, orders]) => [
      market,
      Array.isArray(orders) ? orders.map((order: unknown) => withMarket(order, market)) : orders,
    ]),
  );
}

function withMarket(order: unknown, market: string): unknown {
  if (typeof order !== 'object' || order === null || Array.isArray(order)) return order;
  return 'market' in order && order.market !== null ? order : { ...order, market };
}
