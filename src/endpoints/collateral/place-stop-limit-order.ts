import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { positiveDecimal, type ParamsOf } from '../fields.js';
import { collateralOrderErrorCodes } from '../order-error-codes.js';
import { orderParams, triggerParams, type OrderParams, type TriggerParams } from '../order-params.js';
import { orderLookup } from '../orders/lookups.js';
import { collateralOrderParams, linkedToCheck, reducesAlone, type CollateralOrderParams } from './order-terms.js';

const params = {
  /**
   * Limit price, quote currency: a decimal string or a finite number above 0, and a multiple of the market's price step.
   */
  price: positiveDecimal,
};

const request = v.pipe(
  v.strictObject({ ...orderParams, ...triggerParams, ...params, ...collateralOrderParams }),
  reducesAlone(),
);

/** Parameters of {@link placeStopLimitOrder}. */
export interface PlaceStopLimitOrderParams
  extends OrderParams, TriggerParams, CollateralOrderParams, ParamsOf<typeof params> {}

/**
 * Places a collateral stop limit order. It waits until the market reaches `activation_price`, and is a limit order then.
 * With `stopLoss` or `takeProfit` it is an OTO order, and the response has `oto`.
 *
 * @example
 * ```ts
 * exchange.collateral
 *   .placeStopLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', activation_price: '70000', price: '70100' })
 *   .subscribe((order) => console.log(order.order_id, order.activation_price, order.status));
 * ```
 */
export const placeStopLimitOrder: OrderEndpoint<PlaceStopLimitOrderParams, Order> = defineEndpoint({
  name: 'collateral.placeStopLimitOrder',
  path: '/api/v4/order/collateral/stop-limit',
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('stop limit'),
  errorCodes: collateralOrderErrorCodes,
  toCheck: ({ market, side, amount, price, activation_price, ...linked }) => ({
    type: 'limit',
    market,
    side,
    amount,
    price,
    activation_price,
    ...linkedToCheck(linked),
  }),
  lookup: orderLookup,
});
