import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { orderParams, type OrderParams } from '../order-params.js';
import { orderErrorCodes } from '../order-error-codes.js';
import { plainOrderLookup } from '../orders/lookups.js';

/** Parameters of {@link placeMarketOrder}. `amount` is in the quote currency for a buy, in the base currency for a sell. */
export interface PlaceMarketOrderParams extends OrderParams {}

/**
 * Places a spot market order. A buy spends `amount` of the **quote** currency; a sell sells `amount` of the base
 * currency. In {@link placeStockMarketOrder} the amount is in the base currency on both sides.
 *
 * @example
 * ```ts
 * exchange.spot
 *   .placeMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '100' })
 *   .subscribe((order) => console.log(`${order.deal_stock} BTC for ${order.deal_money} USDT`));
 * ```
 */
export const placeMarketOrder: OrderEndpoint<PlaceMarketOrderParams, Order> = defineEndpoint({
  name: 'spot.placeMarketOrder',
  path: '/api/v4/order/market',
  safety: 'order',
  request: v.strictObject(orderParams),
  response: orderSchema,
  matchesRequest: isPlacedAs('market'),
  errorCodes: orderErrorCodes,
  toCheck: ({ market, side, amount }) => ({ type: 'market', market, side, amount }),
  lookup: plainOrderLookup,
});
