// The endpoints that place spot orders.
import * as v from 'valibot';
import { defineEndpoint, type BulkOrderEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { bulkParams, bulkResponse, isBulkOf, type BulkParams } from '../bulk-orders.js';
import { spotLimitErrorCodes } from '../error-codes.js';
import { exactlyOne, flag, oneOf, positiveDecimal, rule, type ExactlyOne, type ParamsOf } from '../fields.js';
import { anyOrder, immediateAlone, orderFlags, orderParams, orderToCheck, triggerParams } from '../placing-orders.js';
import type { OrderFlags, OrderParams, TriggerParams } from '../placing-orders.js';

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
  ...anyOrder,
  request: v.strictObject(orderParams),
  matchesRequest: isPlacedAs('market'),
  toCheck: (order) => orderToCheck(order, 'market'),
});

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
  ...anyOrder,
  request: v.strictObject(orderParams),
  matchesRequest: isPlacedAs('stock market'),
});

/** Published: 1 is `queue`, 2 is `counterparty`. */
const bboRoles = [1, 2] as const;

const priceParams = {
  /**
   * Limit price, quote currency: a decimal string or a finite number above 0, and a multiple of the market's price step.
   * Exactly one of `price` and `bboRole` is required.
   */
  price: v.exactOptional(positiveDecimal),
  /**
   * The exchange sets the limit price: `1` to the best price of the order's own side, `2` to the best price of the other
   * side. Exactly one of `price` and `bboRole` is required.
   */
  bboRole: v.exactOptional(oneOf(bboRoles)),
};

/** The parameters of a price: exactly one of them is required. */
interface PriceParams extends ParamsOf<typeof priceParams> {}

const retailParams = {
  /**
   * Whether the order is a retail order, which may match Retail Price Improvement orders. Cannot be combined with `rpi`.
   *
   * @default false
   */
  retail: v.exactOptional(flag),
};

const limitRequest = v.pipe(
  v.strictObject({ ...orderParams, ...priceParams, ...orderFlags, ...retailParams }),
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

interface LimitOrderParams extends OrderParams, PriceParams, OrderFlags, ParamsOf<typeof retailParams> {}

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
  ...anyOrder,
  request: limitRequest,
  matchesRequest: isPlacedAs('limit'),
  errorCodes: spotLimitErrorCodes,
});

/** Parameters of {@link placeLimitOrders}. */
export interface PlaceLimitOrdersParams extends BulkParams<PlaceLimitOrderParams> {}

/**
 * Places 1 to 20 spot limit orders by one request. Emits one list with the result of each order, in their order:
 * `placed` with the order, or an error with its `outcome`. The observable itself fails for invalid parameters only.
 *
 * The exchange may accept one market in a request only.
 *
 * @example
 * ```ts
 * exchange.spot
 *   .placeLimitOrders({
 *     orders: [
 *       { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000' },
 *       { market: 'BTC_USDT', side: 'sell', amount: '0.01', price: '90000' },
 *     ],
 *   })
 *   .subscribe((results) => {
 *     for (const result of results)
 *       console.log(result.client_order_id, result.outcome === 'placed' ? result.order.status : result.error.message);
 *   });
 * ```
 */
export const placeLimitOrders: BulkOrderEndpoint<PlaceLimitOrdersParams, Order> = defineEndpoint({
  name: 'spot.placeLimitOrders',
  path: '/api/v4/order/bulk',
  safety: 'orders',
  request: v.strictObject(bulkParams(placeLimitOrder.request)),
  response: bulkResponse(orderSchema),
  matchesRequest: isBulkOf(isPlacedAs('limit')),
  errorCodes: spotLimitErrorCodes,
  item: placeLimitOrder,
});

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
  ...anyOrder,
  request: v.pipe(v.strictObject({ ...orderParams, ...triggerParams, ...priceParams }), exactlyOne('price', 'bboRole')),
  matchesRequest: isPlacedAs('stop limit'),
});

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
  ...anyOrder,
  request: v.strictObject({ ...orderParams, ...triggerParams }),
  matchesRequest: isPlacedAs('stop market'),
  toCheck: (order) => orderToCheck(order, 'market'),
});
