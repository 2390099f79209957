import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../define-endpoint.js';
import { isPlacedAs, orderSchema, type Order } from '../../model/order.js';
import { orderParams } from '../order-params.js';
import { orderErrorCodes } from '../order-error-codes.js';
import { orderLookup } from '../orders/lookup.js';

const request = v.strictObject(orderParams);

/** Parameters of {@link placeStockMarketOrder}. `amount` is in the base currency, on both sides. */
export interface PlaceStockMarketOrderParams extends v.InferInput<typeof request> {}

/**
 * Places a stock market order: executed at once at the best available price. `amount` is always in the **base**
 * currency, unlike {@link placeMarketOrder}, which buys for an amount of the quote currency.
 *
 * The observable places one order at most, however often it is subscribed to or retried.
 *
 * Errors: {@link RequestError} before anything is sent; {@link ApiError} with `reason` `market` (31), `amount` (32: too
 * small, off the step, or more than the balance), `client-order-id` (36) or `validation` (30); {@link AuthError},
 * {@link RateLimitedError}; and with `outcome: 'unknown'` {@link UnavailableError}, {@link TransportError},
 * {@link TimeoutError}, {@link ResponseError}: look the order up by the error's `client_order_id`.
 *
 * `POST /api/v4/order/stock_market` · private · limit group `stockMarket`, 10000 requests / 10 s
 *
 * @example
 * ```ts
 * import { createExchange, isFilled } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.spot
 *   .placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' })
 *   .subscribe((order) => console.log(order.order_id, isFilled(order), order.deal_money));
 * ```
 */
export const placeStockMarketOrder: OrderEndpoint<PlaceStockMarketOrderParams, Order> = defineEndpoint({
  name: 'spot.placeStockMarketOrder',
  method: 'POST',
  path: '/api/v4/order/stock_market',
  rateLimit: { limit: 10_000, windowMs: 10_000 },
  authentication: 'signed',
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('stock market'),
  errorCodes: orderErrorCodes,
  toCheck: ({ market, side, amount }) => ({ type: 'stock market', market, side, amount }),
  lookup: orderLookup,
});
