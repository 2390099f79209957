// The parameters that order endpoints share, as the spec's tables give them.
import * as v from 'valibot';
import { orderSides, stpModes } from '../model/order.js';
import { clientOrderId, marketName, oneOf, positiveDecimal } from './fields.js';

/** What every order endpoint takes. */
export const orderParams = {
  /** The pair, `BASE_QUOTE`; must be an available market. */
  market: marketName,
  /** `buy` or `sell`. */
  side: oneOf(orderSides),
  /**
   * A decimal string such as `"0.001"`, or a finite number; above 0. The market has minima and a step: see
   * `checkOrder`.
   */
  amount: positiveDecimal,
  /**
   * Your identifier of the order: letters, digits, dashes, dots, underscores, at most 64 characters, unique among the
   * account's open orders. Default: one is made when the factory is called.
   */
  client_order_id: v.exactOptional(clientOrderId),
  /** Self-trade prevention: what to do when it would match an order of your own, see {@link StpMode}. Default `no`. */
  stp: v.exactOptional(oneOf(stpModes)),
};
