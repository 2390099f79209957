import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { orderSchema, type Order } from '../../model/order.js';
import { isPlacedAs } from '../../model/placed-as.js';
import { collateralOrderErrorCodes } from '../order-error-codes.js';
import { orderParams, type OrderParams } from '../order-params.js';
import { orderLookup } from '../orders/lookups.js';
import { collateralOrderParams, linkedToCheck, reducesAlone, type CollateralOrderParams } from './order-terms.js';

const request = v.pipe(v.strictObject({ ...orderParams, ...collateralOrderParams }), reducesAlone());

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
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('market'),
  errorCodes: collateralOrderErrorCodes,
  toCheck: ({ market, side, amount, ...linked }) => ({
    type: 'stock market',
    market,
    side,
    amount,
    ...linkedToCheck(linked),
  }),
  lookup: orderLookup,
});
