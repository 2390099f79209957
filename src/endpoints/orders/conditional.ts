import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { type ConditionalOrderPage, conditionalOrderPageSchema, ordersOf } from '../../model/conditional-order.js';
import { everyAgreesOn, isRequestedPage } from '../agrees-on.js';
import { marketName, orderId, type ParamsOf } from '../fields.js';
import { pageParams, type PageParams } from '../list-params.js';
import { ordersRateLimit } from '../rate-limits.js';

const areOfMarket = everyAgreesOn('market');

const params = {
  /** Only the conditional orders of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
};

/** Parameters of {@link conditional}. */
export interface ConditionalParams extends PageParams, ParamsOf<typeof params> {}

export type { ConditionalOrderPage } from '../../model/conditional-order.js';

/**
 * Lists a page of the conditional orders that are not executed yet. These are collateral limit orders with a stop loss
 * or a take profit (OTO), and pairs of which one cancels the other (OCO). {@link open} does not always list them.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const logStops = (exchange: Exchange) =>
 *   exchange.orders.conditional({ market: 'BTC_USDT' }).subscribe(({ records }) => {
 *     for (const { conditionalOrder, stopLossPrice } of records) console.log(conditionalOrder?.order_id, stopLossPrice);
 *   });
 * ```
 */
export const conditional: Endpoint<ConditionalParams, ConditionalOrderPage> = defineEndpoint({
  name: 'orders.conditional',
  path: '/api/v4/conditional-orders',
  rateLimit: ordersRateLimit,
  safety: 'read',
  page: { defaultLimit: 100 },
  request: v.strictObject({ ...params, ...pageParams }),
  response: conditionalOrderPageSchema,
  matchesRequest: (requested, page) =>
    isRequestedPage(requested, page) && areOfMarket(requested, page.records.flatMap(ordersOf)),
});

const cancelConditionalParams = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** The number of the conditional order: `id` of {@link conditional} or of an OCO order, or `oto.otoId` of an order. */
  id: orderId,
};

/** Parameters of {@link cancelConditional}. */
export interface CancelConditionalParams extends ParamsOf<typeof cancelConditionalParams> {}

/**
 * Cancels a conditional order by its number. It is an OCO order with both of its orders, or an OTO order with its stop
 * loss and take profit. Emits an empty list when the exchange has canceled them.
 *
 * `order-not-found` means that no such conditional order is open: it may have been executed. Its outcome is `unknown`
 * where an earlier request of the same observable may have canceled the order, because its response was lost. No lookup
 * can settle this, because no list has the number of a conditional order that has ended. {@link find}, by the
 * `client_order_id` of its orders, shows how they ended. A number is used once, so a late request cancels no other order.
 *
 * @example
 * ```ts
 * import { concatMap, from } from 'rxjs';
 *
 * const { orders } = exchange;
 * orders
 *   .conditional({ market: 'BTC_USDT' })
 *   .pipe(
 *     concatMap(({ records }) => from(records.flatMap(({ id }) => id ?? []))),
 *     concatMap((id) => orders.cancelConditional({ market: 'BTC_USDT', id })),
 *   )
 *   .subscribe({ complete: () => console.log('canceled') });
 * ```
 */
export const cancelConditional: Endpoint<CancelConditionalParams, unknown[]> = defineEndpoint({
  name: 'orders.cancelConditional',
  path: '/api/v4/order/conditional-cancel',
  safety: 'idempotent',
  priority: 'urgent',
  key: ({ market, id }) => JSON.stringify([market, id]),
  request: v.strictObject(cancelConditionalParams),
  response: v.array(v.unknown()),
  matchesRequest: everyAgreesOn('market', 'id'),
  errorCodes: [{ code: 2, field: 'id', reason: 'order-not-found' }],
  // No list has the number of a conditional order that has ended.
  resultLookup: { after: ['order-not-found'], finds: 'nothing' },
});

const cancelOtoParams = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** The number of the OTO order: `oto.otoId` of the order, or `id` of {@link conditional}. */
  otoId: orderId,
};

/** Parameters of {@link cancelOto}. */
export interface CancelOtoParams extends ParamsOf<typeof cancelOtoParams> {}

/**
 * Cancels an OTO order with its stop loss and take profit. Emits an empty list when the exchange has canceled them.
 *
 * `order-not-found` means that no such OTO order is open: it may have been executed. Its outcome is `unknown` where an
 * earlier request of the same observable may have canceled the order, because its response was lost. No lookup can settle
 * this, because no list has the number of an OTO order that has ended. {@link find}, by the `client_order_id` of the
 * order, shows how the order ended. A number is used once, so a late request cancels no other order.
 *
 * @example
 * ```ts
 * import { concatMap } from 'rxjs';
 *
 * const { collateral, orders } = exchange;
 * const market = 'BTC_USDT';
 * collateral
 *   .placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '10000', stopLoss: '9000' })
 *   .pipe(concatMap(({ oto }) => orders.cancelOto({ market, otoId: oto?.otoId ?? 0 })))
 *   .subscribe(() => console.log('canceled, with its stop loss'));
 * ```
 */
export const cancelOto: Endpoint<CancelOtoParams, unknown[]> = defineEndpoint({
  name: 'orders.cancelOto',
  path: '/api/v4/order/oto-cancel',
  safety: 'idempotent',
  priority: 'urgent',
  key: ({ market, otoId }) => JSON.stringify([market, otoId]),
  request: v.strictObject(cancelOtoParams),
  response: v.array(v.unknown()),
  matchesRequest: everyAgreesOn('market', 'otoId'),
  errorCodes: [{ code: 2, field: 'otoId', reason: 'order-not-found' }],
  // No list has the number of a conditional order that has ended.
  resultLookup: { after: ['order-not-found'], finds: 'nothing' },
});
