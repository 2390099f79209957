import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { positiveDecimal, type ParamsOf } from '../fields.js';
import { collateralOrderErrorCodes } from '../order-error-codes.js';
import { orderParams, triggerParams, type OrderParams, type TriggerParams } from '../order-params.js';
import { orderLookup } from '../orders/lookups.js';
import { collateralOrderParams, linkedToCheck, reducesAlone, type CollateralOrderParams } from './order-terms.js';

const params = {
  /**
   * Limit price, quote currency: a decimal string or a finite number above 0, and a multiple of the market's price step.
   */
  price: positiveDecimal,
};

const request = v.pipe(
  v.strictObject({ ...orderParams, ...triggerParams, ...params, ...collateralOrderParams }),
  reducesAlone(),
);

/** Parameters of {@link placeStopLimitOrder}. */
export interface PlaceStopLimitOrderParams
  extends OrderParams, TriggerParams, CollateralOrderParams, ParamsOf<typeof params> {}

/**
 * Places a collateral stop limit order. It waits until the market reaches `activation_price`, and is a limit order then.
 * With `stopLoss` or `takeProfit` it is an OTO order, and the response has `oto`.
 *
 * The observable places at most one order, no matter how often it is subscribed to or retried.
 *
 * `POST /api/v4/order/collateral/stop-limit` · signed · 10000 requests / 10 s · an order, retried only when it is known
 * or proven that it does not exist
 *
 * @throws {@link ApiError} with `reason` `step` (1, `amount` or `price` or `activation_price` or `stopLoss` or
 *   `takeProfit`), `insufficient-balance` (10), `validation` (30), `market` (31), `amount` (32), `price` (33, `price`),
 *   `client-order-id` (36), `position-limit` (111), `position-limit` (112), `positions-open` (113), `position-side`
 *   (114), `opposite-position` (115), `reduce-only` (116)
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/collateral.md#collateralplacestoplimitorder
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
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('stop limit'),
  errorCodes: collateralOrderErrorCodes,
  toCheck: ({ market, side, amount, price, activation_price, ...linked }) => ({
    type: 'limit',
    market,
    side,
    amount,
    price,
    activation_price,
    ...linkedToCheck(linked),
  }),
  lookup: orderLookup,
});
