import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type PagedList, type WireFields } from '../../endpoint/index.js';
import { type Deal, dealSchema } from '../../model/deal.js';
import { listOf } from '../../model/tolerant.js';
import { clientOrderId, marketName, type ParamsOf, unixSeconds } from '../fields.js';
import { type AllItemsParams, historyParams, inOrder, listAllParams, type HistoryPageParams } from '../list-params.js';
import { ordersRateLimit } from '../rate-limits.js';
import { byMarket } from './lists-by-market.js';

const dealParams = {
  /** Only deals of the order with this identifier of yours. */
  client_order_id: v.exactOptional(clientOrderId),
};

interface DealParams extends HistoryPageParams, ParamsOf<typeof dealParams> {}

/** What the exchange rejects lists of deals for. */
const dealErrorCodes = [{ code: 30, field: 'orderHistory', reason: 'order-not-found' }] as const;

const params = {
  /** The market, `BASE_QUOTE`. */
  market: marketName,
};

/** Parameters of {@link deals}. */
export interface DealsParams extends DealParams, ParamsOf<typeof params> {}

/**
 * Lists a page of the deals of a market, newest first: the trades of your orders, spot and collateral. The exchange keeps
 * them for 6 months. {@link listAllDeals} reads every page, {@link dealsByMarket} reads those of all markets,
 * {@link dealsOfOrder} those of one order.
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
  request: v.pipe(v.strictObject({ ...params, ...dealParams, ...historyParams }), inOrder()),
  response: listOf(dealSchema),
  matchesRequest: areOfOrder,
  errorCodes: dealErrorCodes,
});

/** Parameters of {@link dealsByMarket}. */
export interface DealsByMarketParams extends DealParams {}

/** Whether deals are those of the requested identifier, as far as they have one. */
function areOfOrder({ client_order_id: requested }: WireFields, list: readonly Deal[]): boolean {
  return list.every(({ client_order_id: shown }) => requested === undefined || shown === '' || shown === requested);
}

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
  request: v.pipe(v.strictObject({ ...dealParams, ...historyParams }), inOrder()),
  response: byMarket(dealSchema),
  matchesRequest: (requested, lists) => areOfOrder(requested, Object.values(lists).flat()),
  errorCodes: dealErrorCodes,
});

const listAllDealsParams = {
  /** The market, `BASE_QUOTE`. */
  market: marketName,
  /** Only deals from this time on, Unix seconds. At most 6 months ago. */
  since: v.exactOptional(unixSeconds),
};

/** Parameters of {@link listAllDeals}. */
export interface ListAllDealsParams extends AllItemsParams, ParamsOf<typeof listAllDealsParams> {}

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
  request: v.strictObject({ ...listAllDealsParams, ...listAllParams }),
  itemsOf: (page) => page,
  // A trade of the account with itself has two deals.
  keyOf: ({ id, order_id, role }) => `${id} ${order_id ?? ''} ${role ?? ''}`,
  listsOf: ({ since, ...fields }) => [since === undefined ? fields : { ...fields, startDate: since }],
};
