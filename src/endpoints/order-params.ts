// The parameters that order endpoints share, as the spec's tables give them.
import * as v from 'valibot';
import { clientOrderIdMaxLength, clientOrderIdPattern } from '../model/client-order-id.js';
import { decimalInputSchema } from '../model/decimal.js';
import { marketNamePattern } from '../model/market.js';
import { orderSides, stpModes } from '../model/order.js';

/** One of these values, and a message that says which. */
export function oneOf<const Values extends readonly (string | number)[]>(values: Values) {
  return v.picklist(values, `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`);
}

/** A flag of a request. */
export const flag = v.boolean('must be true or false');

/** A text of a request. */
export const text = v.string('must be a string');

/** A market, `BASE_QUOTE`. */
export const marketName = v.pipe(text, v.regex(marketNamePattern, 'must be a market such as "BTC_USDT"'));

/** The identifier that the caller gives an order. */
export const clientOrderId = v.pipe(
  text,
  v.regex(clientOrderIdPattern, 'must be letters, digits, dashes, dots and underscores only'),
  v.maxLength(clientOrderIdMaxLength, `must be at most ${clientOrderIdMaxLength} characters`),
);

/** The exchange's number of an order. */
export const orderId = v.pipe(v.number('must be an integer'), v.safeInteger('must be an integer'), v.minValue(1, 'must be above 0'));

/** A decimal price; `"0"` is none. */
export const price = decimalInputSchema;

/** What every order endpoint takes. */
export const orderParams = {
  /** The pair, `BASE_QUOTE`; must be an available market. */
  market: marketName,
  side: oneOf(orderSides),
  /** A decimal string such as `"0.001"`, or a finite number; above 0. The market has minima and a step: see `checkOrder`. */
  amount: decimalInputSchema,
  /**
   * Your identifier of the order: letters, digits, dashes, dots, underscores, at most 64 characters, unique among the account's open
   * orders. Default: one is made when the factory is called.
   */
  client_order_id: v.exactOptional(clientOrderId),
  /** Self-trade prevention. Default `no`. */
  stp: v.exactOptional(oneOf(stpModes)),
};
