import * as v from 'valibot';
import type { PagedList } from '../../endpoint/index.js';
import type { Deal } from '../../model/deal.js';
import { marketName, unixSeconds, type ParamsOf } from '../fields.js';
import { listAllParams, type AllItemsParams } from '../list-params.js';
import { deals } from './deals.js';

const params = {
  /** The market, `BASE_QUOTE`. */
  market: marketName,
  /** Only deals from this time on, Unix seconds. At most 6 months ago. */
  since: v.exactOptional(unixSeconds),
};

/** Parameters of {@link listAllDeals}. */
export interface ListAllDealsParams extends AllItemsParams, ParamsOf<typeof params> {}

/**
 * Emits the deals of a market one by one, newest first, and completes. A later `since` lists fewer.
 *
 * @example
 * ```ts
 * const since = Math.floor(Date.now() / 1000) - 24 * 60 * 60;
 * exchange.orders
 *   .listAllDeals({ market: 'BTC_USDT', since })
 *   .subscribe(({ id, side, amount, price }) => console.log(id, side, amount, 'at', price));
 * ```
 */
export const listAllDeals: PagedList<ListAllDealsParams, Deal, Deal[]> = {
  name: 'orders.listAllDeals',
  pagesOf: deals,
  request: v.strictObject({ ...params, ...listAllParams }),
  itemsOf: (page) => page,
  // A trade of the account with itself has two deals.
  keyOf: ({ id, order_id, role }) => `${id} ${order_id ?? ''} ${role ?? ''}`,
  listsOf: ({ since, ...fields }) => [since === undefined ? fields : { ...fields, startDate: since }],
};
