import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { dealSchema, type Deal } from '../../model/deal.js';
import { recordsPageOf, type RecordsPage } from '../../model/paging.js';
import { isRequestedPage } from '../agrees-on.js';
import { orderId, type ParamsOf } from '../fields.js';
import { pageParams, type PageParams } from '../list-params.js';
import { ordersRateLimit } from '../rate-limits.js';

const params = {
  /** The order, by the exchange's identifier. */
  order_id: orderId,
};

/** Parameters of {@link dealsOfOrder}. */
export interface DealsOfOrderParams extends PageParams, ParamsOf<typeof params> {}

/** A page of the deals of an order. */
export interface DealPage extends RecordsPage<Deal> {}

/**
 * Lists a page of the deals of one order. An order that does not exist has a page without deals, just as one that has
 * not traded: this proves nothing about an order. {@link find} looks an order up.
 *
 * @example
 * ```ts
 * import { concatMap } from 'rxjs';
 *
 * const { orders, spot } = exchange;
 * spot
 *   .placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' })
 *   .pipe(concatMap(({ order_id }) => orders.dealsOfOrder({ order_id })))
 *   .subscribe(({ records }) => console.log(records.map(({ amount, price, fee }) => ({ amount, price, fee }))));
 * ```
 */
export const dealsOfOrder: Endpoint<DealsOfOrderParams, DealPage> = defineEndpoint({
  name: 'orders.dealsOfOrder',
  path: '/api/v4/trade-account/order',
  rateLimit: ordersRateLimit,
  safety: 'read',
  page: { defaultLimit: 50 },
  request: v.strictObject({ ...params, ...pageParams }),
  response: recordsPageOf(dealSchema),
  matchesRequest: isRequestedPage,
});
