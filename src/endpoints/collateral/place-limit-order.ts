import * as v from 'valibot';
import { defineEndpoint, type OrderEndpoint } from '../define-endpoint.js';
import { isPlacedAs, orderSchema, positionSides, type Order } from '../../model/order.js';
import { flag, oneOf, positiveDecimal } from '../fields.js';
import { orderParams } from '../order-params.js';
import { collateralOrderErrorCodes } from '../order-error-codes.js';
import { orderLookup } from '../orders/lookup.js';

const request = v.pipe(
  v.strictObject({
    ...orderParams,
    /**
     * Limit price in the quote currency: a decimal string or a finite number, above 0. The market has a step: see
     * `checkOrder`.
     */
    price: positiveDecimal,
    /**
     * Stop loss price: makes it an OTO order that closes the position when the market falls (for a buy) or rises to it.
     */
    stopLoss: v.exactOptional(positiveDecimal),
    /**
     * Take profit price: makes it an OTO order that closes the position when the market rises (for a buy) or falls to
     * it.
     */
    takeProfit: v.exactOptional(positiveDecimal),
    /** Execute only as maker; the order is rejected otherwise. Default false. */
    postOnly: v.exactOptional(flag),
    /** Immediate or cancel. Cannot be combined with `postOnly` or `rpi`. Default false. */
    ioc: v.exactOptional(flag),
    /** Retail Price Improvement: post-only by design. Cannot be combined with `ioc`. Default false. */
    rpi: v.exactOptional(flag),
    /** The position's direction, when hedge mode is enabled. */
    positionSide: v.exactOptional(oneOf(positionSides)),
    /** Only reduce or close a position. Cannot be combined with `stopLoss` or `takeProfit`. Default false. */
    reduceOnly: v.exactOptional(flag),
  }),
  v.forward(
    v.partialCheck(
      [['ioc'], ['postOnly'], ['rpi']],
      ({ ioc, postOnly, rpi }) => ioc !== true || (postOnly !== true && rpi !== true),
      'cannot be combined with postOnly or rpi',
    ),
    ['ioc'],
  ),
  v.forward(
    v.partialCheck(
      [['reduceOnly'], ['stopLoss'], ['takeProfit']],
      ({ reduceOnly, stopLoss, takeProfit }) =>
        reduceOnly !== true || (stopLoss === undefined && takeProfit === undefined),
      'cannot be combined with stopLoss or takeProfit',
    ),
    ['reduceOnly'],
  ),
);

/** Parameters of {@link placeLimitOrder}. */
export interface PlaceLimitOrderParams extends v.InferInput<typeof request> {}

/**
 * Places a collateral limit order: `buy` opens a long position, `sell` a short one. With `stopLoss` or `takeProfit` it
 * is an OTO order and the answer has `oto`.
 *
 * The observable places one order at most, however often it is subscribed to or retried.
 *
 * Errors: as {@link placeStockMarketOrder}, and {@link ApiError} with `reason` `price` (33), `conflicting-flags` (37,
 * 40), `position-side` (114) or `reduce-only` (116: no position, or the order is on its side).
 *
 * `POST /api/v4/order/collateral/limit` · private · limit group `collateralLimit`, 10000 requests / 10 s
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.collateral
 *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000', stopLoss: '9000', takeProfit: '12000' })
 *   .subscribe((order) => console.log(order.order_id, order.status, order.oto?.otoId));
 * ```
 */
export const placeLimitOrder: OrderEndpoint<PlaceLimitOrderParams, Order> = defineEndpoint({
  name: 'collateral.placeLimitOrder',
  method: 'POST',
  path: '/api/v4/order/collateral/limit',
  rateLimit: { limit: 10_000, windowMs: 10_000 },
  authentication: 'signed',
  safety: 'order',
  request,
  response: orderSchema,
  matchesRequest: isPlacedAs('limit'),
  errorCodes: collateralOrderErrorCodes,
  toCheck: ({ market, side, amount, price, stopLoss, takeProfit }) => ({
    type: 'limit',
    market,
    side,
    amount,
    price,
    ...(stopLoss === undefined ? {} : { stopLoss }),
    ...(takeProfit === undefined ? {} : { takeProfit }),
  }),
  lookup: orderLookup,
});
