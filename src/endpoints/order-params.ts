// The parameters that order endpoints share, as the spec's tables give them.
import * as v from 'valibot';
import { orderSides, stpModes } from '../model/order.js';
import { clientOrderId, marketName, oneOf, positiveDecimal, type ParamsOf } from './fields.js';

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
