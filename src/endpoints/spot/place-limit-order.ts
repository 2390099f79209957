import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { flag, exactlyOne, type ExactlyOne, type ParamsOf, rule } from '../fields.js';
import { spotLimitErrorCodes } from '../order-error-codes.js';
import { orderFlags, type OrderFlags, immediateAlone } from '../order-flags.js';
import { orderParams, type OrderParams } from '../order-params.js';
import { plainOrderLookup } from '../orders/lookups.js';
import { limitToCheck, priceParams, type PriceParams } from './order-price.js';

const params = {
  /**
   * Whether the order is a retail order, which may match Retail Price Improvement orders. Cannot be combined with `rpi`.
   *
   * @default false
   */
  retail: v.exactOptional(flag),
};

const request = v.pipe(
  v.strictObject({ ...orderParams, ...priceParams, ...orderFlags, ...params }),
  exactlyOne('price', 'bboRole'),
  immediateAlone(),
  rule('ioc', ({ ioc, bboRole }) => ioc !== true || bboRole !== 1, 'cannot be combined with bboRole 1'),
  rule(
    'postOnly',
    ({ postOnly, bboRole, rpi }) => postOnly !== true || (bboRole === undefined && rpi !== true),
    'cannot be combined with bboRole or rpi',
  ),
  rule('retail', ({ retail, rpi }) => retail !== true || rpi !== true, 'cannot be combined with rpi'),
);

interface LimitOrderParams extends OrderParams, PriceParams, OrderFlags, ParamsOf<typeof params> {}

/** Parameters of {@link placeLimitOrder}. Exactly one of `price` and `bboRole` is required. */
export type PlaceLimitOrderParams = ExactlyOne<LimitOrderParams, 'price' | 'bboRole'>;

/**
 * Places a spot limit order. What does not match at once rests in the order book, and the account's money or stock for
 * it is frozen.
 *
 * @example
 * ```ts
 * exchange.spot
 *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '50000', postOnly: true })
 *   .subscribe((order) => console.log(order.order_id, order.status, order.left));
 * ```
 */
export const placeLimitOrder: OrderEndpoint<PlaceLimitOrderParams, Order> = defineEndpoint({
  name: 'spot.placeLimitOrder',
  path: '/api/v4/order/new',
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('limit'),
  errorCodes: spotLimitErrorCodes,
  toCheck: limitToCheck,
  lookup: plainOrderLookup,
});
