import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { collateralOrderErrorCodes } from '../order-error-codes.js';
import { orderParams, triggerParams, type OrderParams, type TriggerParams } from '../order-params.js';
import { orderLookup } from '../orders/lookups.js';
import { collateralOrderParams, linkedToCheck, reducesAlone, type CollateralOrderParams } from './order-terms.js';

const request = v.pipe(v.strictObject({ ...orderParams, ...triggerParams, ...collateralOrderParams }), reducesAlone());

/** Parameters of {@link placeTriggerMarketOrder}. `amount` is in the base currency on both sides. */
export interface PlaceTriggerMarketOrderParams extends OrderParams, CollateralOrderParams, TriggerParams {}

/**
 * Places a collateral trigger market order. It waits until the market reaches `activation_price`, and is a market order
 * then. `amount` is in the **base** currency on both sides. With `stopLoss` or `takeProfit` it is an OTO order, and the
 * response has `oto`.
 *
 * @example
 * ```ts
 * exchange.collateral
 *   .placeTriggerMarketOrder({ market: 'BTC_USDT', side: 'sell', amount: '0.01', activation_price: '50000' })
 *   .subscribe((order) => console.log(order.order_id, order.activation_price, order.status));
 * ```
 */
export const placeTriggerMarketOrder: OrderEndpoint<PlaceTriggerMarketOrderParams, Order> = defineEndpoint({
  name: 'collateral.placeTriggerMarketOrder',
  path: '/api/v4/order/collateral/trigger-market',
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('stop market'),
  errorCodes: collateralOrderErrorCodes,
  toCheck: ({ market, side, amount, activation_price, ...linked }) => ({
    type: 'stock market',
    market,
    side,
    amount,
    activation_price,
    ...linkedToCheck(linked),
  }),
  lookup: orderLookup,
});
