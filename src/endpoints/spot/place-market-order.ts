import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../define-endpoint.js';
import { isPlacedAs, orderSchema, type Order } from '../../model/order.js';
import { orderParams } from '../order-params.js';
import { orderErrorCodes } from '../order-error-codes.js';
import { orderLookup } from '../orders/lookup.js';

const request = v.strictObject(orderParams);

/**
 * Parameters of {@link placeMarketOrder}. `amount` is in the quote currency for a buy, in the base currency for a sell.
 */
export interface PlaceMarketOrderParams extends v.InferInput<typeof request> {}

/**
 * Places a market order. A buy is for an `amount` of the **quote** currency, a sell for an `amount` of the base
 * currency; see {@link placeStockMarketOrder} for amounts in the base currency on both sides.
 *
 * The observable places one order at most, however often it is subscribed to or retried. Errors: as
 * {@link placeStockMarketOrder}.
 *
 * `POST /api/v4/order/market` · private · limit group `marketOrder`, 10000 requests / 10 s
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.spot
 *   .placeMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '100' })
 *   .subscribe((order) => console.log(`${order.deal_stock} BTC for ${order.deal_money} USDT`));
 * ```
 */
export const placeMarketOrder: OrderEndpoint<PlaceMarketOrderParams, Order> = defineEndpoint({
  name: 'spot.placeMarketOrder',
  method: 'POST',
  path: '/api/v4/order/market',
  rateLimit: { limit: 10_000, windowMs: 10_000 },
  authentication: 'signed',
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('market'),
  errorCodes: orderErrorCodes,
  toCheck: ({ market, side, amount }) => ({ type: 'market', market, side, amount }),
  lookup: orderLookup,
});
