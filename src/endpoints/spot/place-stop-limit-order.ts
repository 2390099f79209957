import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { orderErrorCodes } from '../order-error-codes.js';
import { orderParams, triggerParams, type OrderParams, type TriggerParams } from '../order-params.js';
import { plainOrderLookup } from '../orders/lookups.js';
import { limitToCheck, priceParams, type PriceParams } from './order-price.js';
import { exactlyOne, type ExactlyOne } from '../fields.js';

const request = v.pipe(
  v.strictObject({ ...orderParams, ...triggerParams, ...priceParams }),
  exactlyOne('price', 'bboRole'),
);

interface StopLimitOrderParams extends OrderParams, TriggerParams, PriceParams {}

/** Parameters of {@link placeStopLimitOrder}. Exactly one of `price` and `bboRole` is required. */
export type PlaceStopLimitOrderParams = ExactlyOne<StopLimitOrderParams, 'price' | 'bboRole'>;

/**
 * Places a spot stop limit order. It waits until the market reaches `activation_price`, and is a limit order then.
 *
 * @example
 * ```ts
 * exchange.spot
 *   .placeStopLimitOrder({ market: 'BTC_USDT', side: 'sell', amount: '0.01', activation_price: '50000', price: '49900' })
 *   .subscribe((order) => console.log(order.order_id, order.activation_price, order.activated));
 * ```
 */
export const placeStopLimitOrder: OrderEndpoint<PlaceStopLimitOrderParams, Order> = defineEndpoint({
  name: 'spot.placeStopLimitOrder',
  path: '/api/v4/order/stop_limit',
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('stop limit'),
  errorCodes: orderErrorCodes,
  toCheck: ({ activation_price, ...order }) => ({ ...limitToCheck(order), activation_price }),
  lookup: plainOrderLookup,
});
