import * as v from 'valibot';
import { everyAgreesOn } from '../agrees-on.js';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { marketName, orderId, type ParamsOf } from '../fields.js';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** The number of the OTO order: `oto.otoId` of the order, or `id` of {@link conditional}. */
  otoId: orderId,
};

/** Parameters of {@link cancelOto}. */
export interface CancelOtoParams extends ParamsOf<typeof params> {}

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
  request: v.strictObject(params),
  response: v.array(v.unknown()),
  matchesRequest: everyAgreesOn('market', 'otoId'),
  errorCodes: [{ code: 2, field: 'otoId', reason: 'order-not-found' }],
  // No list has the number of a conditional order that has ended.
  resultLookup: { after: ['order-not-found'], finds: 'nothing' },
});
