import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { areOfOrder, dealSchema, type Deal } from '../../model/deal.js';
import { listOf } from '../../model/tolerant.js';
import { marketName, type ParamsOf } from '../fields.js';
import { dealErrorCodes, dealParams, type DealParams } from './deal-requests.js';
import { ordersRateLimit } from './rate-limit.js';
import { inOrder, offsetParam } from '../list-params.js';

const params = {
  /** The market, `BASE_QUOTE`. */
  market: marketName,
};

const request = v.pipe(v.strictObject({ ...params, ...dealParams, ...offsetParam }), inOrder());

/** Parameters of {@link deals}. */
export interface DealsParams extends DealParams, ParamsOf<typeof params> {}

/**
 * Lists a page of the deals of a market, newest first: the trades of your orders, spot and collateral. The exchange keeps
 * them for 6 months. {@link listAllDeals} reads every page, {@link dealsByMarket} reads those of all markets, {@link dealsOfOrder} those of one order.
 *
 * `order-not-found` means that no order has the given `client_order_id`. An identifier may have been used for several
 * orders.
 *
 * @example
 * ```ts
 * exchange.orders.deals({ market: 'BTC_USDT', limit: 10 }).subscribe((deals) => {
 *   for (const { side, amount, price, role } of deals) console.log(side, amount, 'at', price, role === 1 ? 'maker' : 'taker');
 * });
 * ```
 */
export const deals: Endpoint<DealsParams, Deal[]> = defineEndpoint({
  name: 'orders.deals',
  path: '/api/v4/trade-account/executed-history',
  rateLimit: ordersRateLimit,
  safety: 'read',
  page: { defaultLimit: 50, listAll: 'orders.listAllDeals' },
  request,
  response: listOf(dealSchema),
  matchesRequest: areOfOrder,
  errorCodes: dealErrorCodes,
});
