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
  request: v.strictObject({ ...params, ...listAllParams }),
  itemsOf: (orders) => orders,
  keyOf: ({ order_id }) => order_id,
  canShrink: true,
};
