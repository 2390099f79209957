import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { positiveDecimal, type ParamsOf } from '../fields.js';
import { collateralLimitErrorCodes } from '../order-error-codes.js';
import { orderFlags, type OrderFlags, immediateAlone } from '../order-flags.js';
import { orderParams, type OrderParams } from '../order-params.js';
import { orderLookup } from '../orders/lookups.js';
import { collateralOrderParams, linkedToCheck, reducesAlone, type CollateralOrderParams } from './order-terms.js';

const params = {
  /**
   * Limit price, quote currency: a decimal string or a finite number above 0, and a multiple of the market's price step.
   */
  price: positiveDecimal,
};

const request = v.pipe(
  v.strictObject({ ...orderParams, ...params, ...orderFlags, ...collateralOrderParams }),
  immediateAlone(),
  reducesAlone(),
);

/** Parameters of {@link placeLimitOrder}. */
export interface PlaceLimitOrderParams
  extends OrderParams, CollateralOrderParams, OrderFlags, ParamsOf<typeof params> {}

/**
 * Places a collateral limit order. A buy opens a long position, a sell a short one. With `stopLoss` or `takeProfit` it
 * is an OTO order, and the response has `oto`.
 *
 * The observable places at most one order, no matter how often it is subscribed to or retried.
 *
 * `POST /api/v4/order/collateral/limit` · signed · 10000 requests / 10 s · an order, retried only when it is known or
 * proven that it does not exist
 *
 * @throws {@link ApiError} with `reason` `step` (1, `amount` or `price` or `stopLoss` or `takeProfit`),
 *   `insufficient-balance` (10), `would-take` (13), `would-take` (14), `validation` (30), `market` (31), `amount` (32),
 *   `price` (33, `price`), `client-order-id` (36), `conflicting-flags` (37), `conflicting-flags` (40), `position-limit`
 *   (111), `position-limit` (112), `positions-open` (113), `position-side` (114), `opposite-position` (115),
 *   `reduce-only` (116)
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/collateral.md#collateralplacelimitorder
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
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('limit'),
  errorCodes: collateralLimitErrorCodes,
  toCheck: ({ market, side, amount, price, ...linked }) => ({
    type: 'limit',
    market,
    side,
    amount,
    price,
    ...linkedToCheck(linked),
  }),
  lookup: orderLookup,
});
