import * as v from 'valibot';
import type { PagedList } from '../../endpoint/index.js';
import type { Order } from '../../model/order.js';
import { marketName, type ParamsOf } from '../fields.js';
import { listAllParams, type AllItemsParams } from '../list-params.js';
import { open } from './open.js';

const params = {
  /** Only orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
};

/** Parameters of {@link listAllOpen}. */
export interface ListAllOpenParams extends AllItemsParams, ParamsOf<typeof params> {}

/**
 * Emits the open orders of the account one by one, spot and collateral, and completes. It reads pages of 100 by
 * {@link open}, and the next page once the orders of the previous one were taken: `take(5)` reads one page.
 *
 * An order that stays open while the pages are read is emitted once, whatever other orders open or end: where the list
 * moved, a page is read again. An order that is placed or modified meanwhile may be missing. The exchange lists at most
 * 10100 orders: {@link RequestError} after them where there may be more.
 *
 * @throws {@link ResponseError} when the list moved too often while it was read
 * @throws the errors of {@link open}
 * @see docs/reference/orders.md#orderslistallopen
 * @example
 * ```ts
 * exchange.orders.listAllOpen({ market: 'BTC_USDT' }).subscribe(({ order_id, price, left }) => console.log(order_id, price, left));
 * ```
 */
export const listAllOpen: PagedList<ListAllOpenParams, Order, Order[]> = {
  name: 'orders.listAllOpen',
  pagesOf: open,
  request: v.strictObject({ ...params, ...listAllParams }),
  itemsOf: (orders) => orders,
  keyOf: ({ order_id }) => order_id,
  canShrink: true,
};
