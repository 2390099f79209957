import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { orderErrorCodes } from '../order-error-codes.js';
import { orderParams, triggerParams, type OrderParams, type TriggerParams } from '../order-params.js';
import { plainOrderLookup } from '../orders/lookups.js';

/**
 * Parameters of {@link placeStopMarketOrder}. `amount` is in the quote currency for a buy, in the base currency for a
 * sell.
 */
export interface PlaceStopMarketOrderParams extends OrderParams, TriggerParams {}

/**
 * Places a spot stop market order. It waits until the market reaches `activation_price`, and is a market order then. A buy
 * spends `amount` of the **quote** currency; a sell sells `amount` of the base currency.
 *
 * @example
 * ```ts
 * exchange.spot
 *   .placeStopMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '100', activation_price: '70000' })
 *   .subscribe((order) => console.log(order.order_id, order.activation_price, order.activated));
 * ```
 */
export const placeStopMarketOrder: OrderEndpoint<PlaceStopMarketOrderParams, Order> = defineEndpoint({
  name: 'spot.placeStopMarketOrder',
  path: '/api/v4/order/stop_market',
  safety: 'order',
  request: v.strictObject({ ...orderParams, ...triggerParams }),
  response: orderSchema,
  matchesRequest: isPlacedAs('stop market'),
  errorCodes: orderErrorCodes,
  toCheck: ({ market, side, amount, activation_price }) => ({ type: 'market', market, side, amount, activation_price }),
  lookup: plainOrderLookup,
});
