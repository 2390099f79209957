import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { positiveDecimal, type ParamsOf } from '../fields.js';
import { collateralLimitErrorCodes } from '../order-error-codes.js';
import { orderFlags, type OrderFlags, immediateAlone } from '../order-flags.js';
import { orderParams, type OrderParams } from '../order-params.js';
import { orderLookup } from '../orders/lookups.js';
import { collateralOrderParams, linkedToCheck, reducesAlone, type CollateralOrderParams } from './order-terms.js';

const params = {
  /**
   * Limit price, quote currency: a decimal string or a finite number above 0, and a multiple of the market's price step.
   */
  price: positiveDecimal,
};

const request = v.pipe(
  v.strictObject({ ...orderParams, ...params, ...orderFlags, ...collateralOrderParams }),
  immediateAlone(),
  reducesAlone(),
);

/** Parameters of {@link placeLimitOrder}. */
export interface PlaceLimitOrderParams
  extends OrderParams, CollateralOrderParams, OrderFlags, ParamsOf<typeof params> {}

/**
 * Places a collateral limit order. A buy opens a long position, a sell a short one. With `stopLoss` or `takeProfit` it
 * is an OTO order, and the response has `oto`.
 *
 * @example
 * ```ts
 * exchange.collateral
 *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000', stopLoss: '9000', takeProfit: '12000' })
 *   .subscribe((order) => console.log(order.order_id, order.status, order.oto?.otoId));
 * ```
 */
export const placeLimitOrder: OrderEndpoint<PlaceLimitOrderParams, Order> = defineEndpoint({
  name: 'collateral.placeLimitOrder',
  path: '/api/v4/order/collateral/limit',
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('limit'),
  errorCodes: collateralLimitErrorCodes,
  toCheck: ({ market, side, amount, price, ...linked }) => ({
    type: 'limit',
    market,
    side,
    amount,
    price,
    ...linkedToCheck(linked),
  }),
  lookup: orderLookup,
});
