import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../../endpoint/index.js';
import { readDecimal } from '../../model/decimal.js';
import { isPlacedAsOco, type OcoOrder, ocoOrderSchema } from '../../model/oco-order.js';
import { positionSides } from '../../model/order.js';
import { collateralLimitErrorCodes } from '../error-codes.js';
import { flag, oneOf, type ParamsOf, positiveDecimal, rule } from '../fields.js';
import { anyOrder, orderParams, type OrderParams } from '../placing-orders.js';
import { ocoLookup } from '../orders/lookups.js';

const params = {
  /**
   * Price of the limit order, the take profit, quote currency: a decimal string or a finite number above 0, and a
   * multiple of the market's price step. Of a buy it is below the market's price, of a sell above.
   */
  price: positiveDecimal,
  /**
   * Market price that activates the stop limit order, quote currency. A buy is activated when the market's price is at
   * or above it, a sell at or below, so of a buy it is above `price`, of a sell below.
   */
  activation_price: positiveDecimal,
  /** Limit price of the stop limit order once it is active, quote currency. */
  stop_limit_price: positiveDecimal,
  /** Side of the position. Required as `LONG` or `SHORT` in hedge mode; ignored otherwise. */
  positionSide: v.exactOptional(oneOf(positionSides)),
  /**
   * Whether the orders may only reduce or close a position. An amount above the position is reduced to it.
   *
   * @default false
   */
  reduceOnly: v.exactOptional(flag),
};

const request = v.pipe(
  v.strictObject({ ...orderParams, ...params }),
  rule(
    'activation_price',
    ({ side, price, activation_price }) => isBeyond(side, activation_price, price),
    'must be above price for a buy, and below price for a sell',
  ),
);

/** Whether the price that activates an order of this side is on the other side of the market than its limit price. */
function isBeyond(side: 'buy' | 'sell', activation: string, limit: string): boolean {
  const order = readDecimal(activation)?.comparedTo(limit) ?? 0;
  return side === 'buy' ? order > 0 : order < 0;
}

/** Parameters of {@link placeOcoOrder}. */
export interface PlaceOcoOrderParams extends OrderParams, ParamsOf<typeof params> {}

/**
 * Places a collateral OCO order: a limit order and a stop limit order of the same amount, side and identifier. The first
 * that is activated or filled cancels the other. The response has both.
 *
 * After a restart, `orders.findOco` finds it with both of its orders; `orders.find` emits one of them.
 *
 * @example
 * ```ts
 * exchange.collateral
 *   .placeOcoOrder({ market: 'BTC_USDT', side: 'sell', amount: '0.01', price: '70000', activation_price: '50000', stop_limit_price: '49900' })
 *   .subscribe(({ id, take_profit, stop_loss }) => console.log(id, take_profit?.order_id, stop_loss?.order_id));
 * ```
 */
export const placeOcoOrder: OrderEndpoint<PlaceOcoOrderParams, OcoOrder> = defineEndpoint({
  name: 'collateral.placeOcoOrder',
  path: '/api/v4/order/collateral/oco',
  ...anyOrder,
  request,
  response: ocoOrderSchema,
  matchesRequest: isPlacedAsOco,
  errorCodes: [
    ...collateralLimitErrorCodes,
    { code: 151, reason: 'price' },
    { code: 152, reason: 'insufficient-balance' },
    { code: 153, reason: 'insufficient-balance' },
  ],
  lookup: ocoLookup,
});
