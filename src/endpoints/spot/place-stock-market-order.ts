import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { orderParams, type OrderParams } from '../order-params.js';
import { orderErrorCodes } from '../order-error-codes.js';
import { plainOrderLookup } from '../orders/lookups.js';

/** Parameters of {@link placeStockMarketOrder}. `amount` is in the base currency on both sides. */
export interface PlaceStockMarketOrderParams extends OrderParams {}

/**
 * Places a spot market order whose `amount` is in the **base** currency on both sides. It executes at once at the best
 * available price; the average price is `deal_money / deal_stock`. {@link placeMarketOrder} buys for an amount of the
 * quote currency.
 *
 * @example
 * ```ts
 * import { isFilled } from 'exchange-rx';
 *
 * exchange.spot
 *   .placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' })
 *   .subscribe((order) => console.log(order.order_id, isFilled(order), order.deal_money));
 * ```
 */
export const placeStockMarketOrder: OrderEndpoint<PlaceStockMarketOrderParams, Order> = defineEndpoint({
  name: 'spot.placeStockMarketOrder',
  path: '/api/v4/order/stock_market',
  safety: 'order',
  request: v.strictObject(orderParams),
  response: orderSchema,
  matchesRequest: isPlacedAs('stock market'),
  errorCodes: orderErrorCodes,
  toCheck: ({ market, side, amount }) => ({ type: 'stock market', market, side, amount }),
  lookup: plainOrderLookup,
});
