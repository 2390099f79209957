import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { areOfOrder, dealSchema, type Deal } from '../../model/deal.js';
import { byMarket } from './lists-by-market.js';
import { dealErrorCodes, dealParams, type DealParams } from './deal-requests.js';
import { ordersRateLimit } from './rate-limit.js';
import { inOrder, offsetParam } from '../list-params.js';

const request = v.pipe(v.strictObject({ ...dealParams, ...offsetParam }), inOrder());

/** Parameters of {@link dealsByMarket}. */
export interface DealsByMarketParams extends DealParams {}

/** Deals by market: `{ BTC_USDT: [deal, …] }`. */
export interface DealsByMarket extends Record<string, Deal[]> {}

/**
 * Lists the deals of all markets, by market: `{ BTC_USDT: [deal, …] }`, newest first. `limit` and `offset` count over all
 * markets together. The exchange keeps deals for 6 months. {@link deals} reads those of one market.
 *
 * `order-not-found` means that no order has the given `client_order_id`; any other filter without a match emits `{}`.
 *
 * @example
 * ```ts
 * exchange.orders.dealsByMarket({ limit: 100 }).subscribe((byMarket) => {
 *   for (const [market, deals] of Object.entries(byMarket)) console.log(market, deals.length);
 * });
 * ```
 */
export const dealsByMarket: Endpoint<DealsByMarketParams, DealsByMarket> = defineEndpoint({
  name: 'orders.dealsByMarket',
  path: '/api/v4/trade-account/executed-history',
  rateLimit: ordersRateLimit,
  safety: 'read',
  page: { defaultLimit: 50 },
  request,
  response: byMarket(dealSchema),
  matchesRequest: (requested, lists) => areOfOrder(requested, Object.values(lists).flat()),
  errorCodes: dealErrorCodes,
});
