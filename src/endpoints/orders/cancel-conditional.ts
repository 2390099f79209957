import * as v from 'valibot';
import { everyAgreesOn } from '../agrees-on.js';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { marketName, orderId, type ParamsOf } from '../fields.js';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** The number of the conditional order: `id` of {@link conditional} or of an OCO order, or `oto.otoId` of an order. */
  id: orderId,
};

/** Parameters of {@link cancelConditional}. */
export interface CancelConditionalParams extends ParamsOf<typeof params> {}

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
  request: v.strictObject(params),
  response: v.array(v.unknown()),
  matchesRequest: everyAgreesOn('market', 'id'),
  errorCodes: [{ code: 2, field: 'id', reason: 'order-not-found' }],
  // No list has the number of a conditional order that has ended.
  resultLookup: { after: ['order-not-found'], finds: 'nothing' },
});
