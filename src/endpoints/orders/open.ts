import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type PagedList } from '../../endpoint/index.js';
import { type Order, orderSchema } from '../../model/order.js';
import { listOf } from '../../model/tolerant.js';
import { everyAgreesOn } from '../agrees-on.js';
import { clientOrderId, marketName, orderId, type ParamsOf, rule } from '../fields.js';
import { type AllItemsParams, listAllParams, pageParams, type PageParams } from '../list-params.js';
import { ordersRateLimit } from '../rate-limits.js';

const params = {
  /** Only orders of this market, `BASE_QUOTE`. Required together with an identifier. */
  market: v.exactOptional(marketName),
  /** Only the order with this identifier of the exchange. */
  order_id: v.exactOptional(orderId),
  /** Only the order with this identifier of yours. */
  client_order_id: v.exactOptional(clientOrderId),
};

const request = v.pipe(
  v.strictObject({ ...params, ...pageParams }),
  rule(
    'market',
    ({ market, order_id, client_order_id }) =>
      market !== undefined || (order_id === undefined && client_order_id === undefined),
    'is required together with order_id or client_order_id',
  ),
);

/** Parameters of {@link open}. */
export interface OpenParams extends PageParams, ParamsOf<typeof params> {}

/**
 * Lists a page of the open orders of the account, spot and collateral. {@link listAllOpen} reads every page.
 *
 * @example
 * ```ts
 * exchange.orders.open({ market: 'BTC_USDT' }).subscribe((orders) => console.log(orders.length));
 * ```
 */
export const open: Endpoint<OpenParams, Order[]> = defineEndpoint({
  name: 'orders.open',
  path: '/api/v4/orders',
  rateLimit: ordersRateLimit,
  safety: 'read',
  page: { defaultLimit: 50, listAll: 'orders.listAllOpen' },
  request,
  response: listOf(orderSchema),
  matchesRequest: everyAgreesOn('market', 'order_id', 'client_order_id'),
});

const listAllOpenParams = {
  /** Only orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
};

/** Parameters of {@link listAllOpen}. */
export interface ListAllOpenParams extends AllItemsParams, ParamsOf<typeof listAllOpenParams> {}

/**
 * Emits the open orders of the account one by one, spot and collateral, and completes. An order that stays open while
 * the pages are read is emitted once, whatever other orders open or end: where the list moved, a page is read again. An
 * order that is placed or modified meanwhile may be missing.
 *
 * @example
 * ```ts
 * exchange.orders.listAllOpen({ market: 'BTC_USDT' }).subscribe(({ order_id, price, left }) => console.log(order_id, price, left));
 * ```
 */
export const listAllOpen: PagedList<ListAllOpenParams, Order, Order[]> = {
  name: 'orders.listAllOpen',
  pagesOf: open,
  request: v.strictObject({ ...listAllOpenParams, ...listAllParams }),
  itemsOf: (orders) => orders,
  keyOf: ({ order_id }) => order_id,
  canShrink: true,
};
