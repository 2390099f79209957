// What the endpoints that place orders share: parameters, as the spec's tables give them, the rules between them, and how
// an order is read, checked and looked up.
import * as v from 'valibot';
import type { AmountToCheck, OrderToCheck } from '../model/order-to-check.js';
import { orderSchema, orderSides, stpModes } from '../model/order.js';
import { orderErrorCodes } from './error-codes.js';
import { clientOrderId, flag, marketName, oneOf, positiveDecimal, rule, type ParamsOf } from './fields.js';
import { plainOrderLookup } from './orders/lookups.js';

export const orderParams = {
  /** The pair, `BASE_QUOTE`. It must be an available market. */
  market: marketName,
  /** `buy` or `sell`. */
  side: oneOf(orderSides),
  /**
   * Amount, base currency: a decimal string such as `"0.001"` or a finite number, above 0. The market has a minimum and a
   * step: see `exchange.market`. A buy by `spot.placeMarketOrder` or `spot.placeStopMarketOrder` has its
   * amount in the quote currency.
   */
  amount: positiveDecimal,
  /**
   * Your identifier of the order: letters, digits, dashes, dots and underscores, at most 64 characters, unique among the
   * open orders of the market.
   *
   * @default a random identifier of 32 characters
   */
  client_order_id: v.exactOptional(clientOrderId),
  /**
   * Self-trade prevention: which order is canceled when the order would match one of your own, see {@link StpMode}.
   *
   * @default 'no'
   */
  stp: v.exactOptional(oneOf(stpModes)),
};

/** The parameters of every order. */
export interface OrderParams extends ParamsOf<typeof orderParams> {}

export const triggerParams = {
  /**
   * Market price that activates the order, quote currency: a decimal string or a finite number above 0, and a multiple of
   * the market's price step. It activates a buy at this price or above, and a sell at this price or below.
   */
  activation_price: positiveDecimal,
};

/** The parameters of every order that waits for its trigger. */
export interface TriggerParams extends ParamsOf<typeof triggerParams> {}

export const orderFlags = {
  /**
   * Whether the order may execute as maker only. The exchange rejects it where it would match at once.
   *
   * @default false
   */
  postOnly: v.exactOptional(flag),
  /**
   * Immediate or cancel: fills what is available at once and cancels the rest. Cannot be combined with `postOnly` or
   * `rpi`.
   *
   * @default false
   */
  ioc: v.exactOptional(flag),
  /**
   * Whether the order is a Retail Price Improvement order, which is post-only. Cannot be combined with `ioc`.
   *
   * @default false
   */
  rpi: v.exactOptional(flag),
};

/** The flags of a limit order. */
export interface OrderFlags extends ParamsOf<typeof orderFlags> {}

/** An order that cancels its rest cannot rest as a maker, too. */
export function immediateAlone<Fields extends OrderFlags>() {
  return rule<Fields>(
    'ioc',
    ({ ioc, postOnly, rpi }) => ioc !== true || (postOnly !== true && rpi !== true),
    'cannot be combined with postOnly or rpi',
  );
}

/** The fields of an order that its market has rules for. */
interface Checked extends AmountToCheck {
  readonly price?: string;
}

/**
 * An order as `checkOrders` checks it. The price of an order with `bboRole` is the exchange's own: it is on its step, and
 * the total is not known. `market`: a buy has its amount in the quote currency.
 */
export function orderToCheck(
  { market, side, amount, price, activation_price, stop_limit_price, stopLoss, takeProfit }: Checked,
  unpriced: 'stock market' | 'market' = 'stock market',
): OrderToCheck {
  const order = { market, side, amount, activation_price, stop_limit_price, stopLoss, takeProfit };
  return price === undefined ? { type: unpriced, ...order } : { type: 'limit', price, ...order };
}

/** What the definitions of orders have in common. */
export const anyOrder = {
  safety: 'order',
  response: orderSchema,
  errorCodes: orderErrorCodes,
  toCheck: (order: Checked) => orderToCheck(order),
  lookup: plainOrderLookup,
} as const;
