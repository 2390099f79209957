// The endpoints that place collateral orders, except OCO orders.
import * as v from 'valibot';
import { defineEndpoint, type BulkOrderEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, positionSides, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { bulkParams, bulkResponse, isBulkOf, type BulkParams } from '../bulk-orders.js';
import { collateralLimitErrorCodes, collateralOrderErrorCodes } from '../error-codes.js';
import { flag, oneOf, positiveDecimal, rule, type ParamsOf } from '../fields.js';
import { orderLookup } from '../orders/lookups.js';
import { anyOrder, immediateAlone, orderFlags, orderParams, triggerParams } from '../placing-orders.js';
import type { OrderFlags, OrderParams, TriggerParams } from '../placing-orders.js';

/** What the definitions of collateral orders have in common. */
const collateralOrder = { ...anyOrder, errorCodes: collateralOrderErrorCodes, lookup: orderLookup } as const;

const collateralOrderParams = {
  /** Price of a stop loss, quote currency. With it the order is an OTO order. */
  stopLoss: v.exactOptional(positiveDecimal),
  /** Price of a take profit, quote currency. With it the order is an OTO order. */
  takeProfit: v.exactOptional(positiveDecimal),
  /** Side of the position. Required as `LONG` or `SHORT` in hedge mode; ignored otherwise. */
  positionSide: v.exactOptional(oneOf(positionSides)),
  /**
   * Whether the order may only reduce or close a position. An amount above the position is reduced to it. Cannot be
   * combined with `stopLoss` or `takeProfit`.
   *
   * @default false
   */
  reduceOnly: v.exactOptional(flag),
};

/** The parameters of every collateral order. */
interface CollateralOrderParams extends ParamsOf<typeof collateralOrderParams> {}

/** An order that reduces a position has no linked orders. */
function reducesAlone<Fields extends CollateralOrderParams>() {
  return rule<Fields>(
    'reduceOnly',
    ({ reduceOnly, stopLoss, takeProfit }) =>
      reduceOnly !== true || (stopLoss === undefined && takeProfit === undefined),
    'cannot be combined with stopLoss or takeProfit',
  );
}

const limitPriceParams = {
  /**
   * Limit price, quote currency: a decimal string or a finite number above 0, and a multiple of the market's price step.
   */
  price: positiveDecimal,
};

/** The price of a limit order. */
interface LimitPriceParams extends ParamsOf<typeof limitPriceParams> {}

/** Parameters of {@link placeMarketOrder}. `amount` is in the base currency on both sides. */
export interface PlaceMarketOrderParams extends OrderParams, CollateralOrderParams {}

/**
 * Places a collateral market order. A buy opens a long position, a sell a short one; `amount` is in the **base** currency
 * on both sides. With `stopLoss` or `takeProfit` it is an OTO order, and the response has `oto`.
 *
 * @example
 * ```ts
 * exchange.collateral
 *   .placeMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', stopLoss: '50000' })
 *   .subscribe((order) => console.log(order.order_id, order.deal_money, order.oto?.otoId));
 * ```
 */
export const placeMarketOrder: OrderEndpoint<PlaceMarketOrderParams, Order> = defineEndpoint({
  name: 'collateral.placeMarketOrder',
  path: '/api/v4/order/collateral/market',
  ...collateralOrder,
  request: v.pipe(v.strictObject({ ...orderParams, ...collateralOrderParams }), reducesAlone()),
  matchesRequest: isPlacedAs('market'),
});

const limitRequest = v.pipe(
  v.strictObject({ ...orderParams, ...limitPriceParams, ...orderFlags, ...collateralOrderParams }),
  immediateAlone(),
  reducesAlone(),
);

/** Parameters of {@link placeLimitOrder}. */
export interface PlaceLimitOrderParams extends OrderParams, CollateralOrderParams, OrderFlags, LimitPriceParams {}

/**
 * Places a collateral limit order. A buy opens a long position, a sell a short one. With `stopLoss` or `takeProfit` it
 * is an OTO order, and the response has `oto`.
 *
 * @example
 * ```ts
 * exchange.collateral
 *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000', stopLoss: '9000', takeProfit: '12000' })
 *   .subscribe((order) => console.log(order.order_id, order.status, order.oto?.otoId));
 * ```
 */
export const placeLimitOrder: OrderEndpoint<PlaceLimitOrderParams, Order> = defineEndpoint({
  name: 'collateral.placeLimitOrder',
  path: '/api/v4/order/collateral/limit',
  ...collateralOrder,
  request: limitRequest,
  matchesRequest: isPlacedAs('limit'),
  errorCodes: collateralLimitErrorCodes,
});

/** One order of {@link placeLimitOrders}: as for {@link placeLimitOrder}, without `stp`. */
export interface LimitOrderInBulk extends Omit<PlaceLimitOrderParams, 'stp'> {}

/** Parameters of {@link placeLimitOrders}. */
export interface PlaceLimitOrdersParams extends BulkParams<LimitOrderInBulk> {}

const order = v.pipe(
  placeLimitOrder.request,
  v.check(({ stp }) => stp === undefined, 'stp is not available for several orders in one request'),
);

/**
 * Places 1 to 20 collateral limit orders by one request. Emits one list with the result of each order, in their order:
 * `placed` with the order, or an error with its `outcome`. The observable itself fails for invalid parameters only.
 *
 * The exchange may accept one market in a request only.
 *
 * @example
 * ```ts
 * exchange.collateral
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
  name: 'collateral.placeLimitOrders',
  path: '/api/v4/order/collateral/bulk',
  safety: 'orders',
  request: v.strictObject(bulkParams(order)),
  response: bulkResponse(orderSchema),
  matchesRequest: isBulkOf(isPlacedAs('limit')),
  errorCodes: collateralLimitErrorCodes,
  item: placeLimitOrder,
});

/** Parameters of {@link placeStopLimitOrder}. */
export interface PlaceStopLimitOrderParams
  extends OrderParams, TriggerParams, CollateralOrderParams, LimitPriceParams {}

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
  ...collateralOrder,
  request: v.pipe(
    v.strictObject({ ...orderParams, ...triggerParams, ...limitPriceParams, ...collateralOrderParams }),
    reducesAlone(),
  ),
  matchesRequest: isPlacedAs('stop limit'),
});

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
  ...collateralOrder,
  request: v.pipe(v.strictObject({ ...orderParams, ...triggerParams, ...collateralOrderParams }), reducesAlone()),
  matchesRequest: isPlacedAs('stop market'),
});
