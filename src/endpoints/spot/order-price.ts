// The price of a spot limit order: the caller's, or the best price in the book.
import * as v from 'valibot';
import type { OrderSide } from '../../model/order.js';
import type { OrderToCheck } from '../../model/order-to-check.js';
import { oneOf, positiveDecimal, type ParamsOf } from '../fields.js';

/** Published: 1 is `queue`, 2 is `counterparty`. */
const bboRoles = [1, 2] as const;

export const priceParams = {
  /**
   * Limit price, quote currency: a decimal string or a finite number above 0, and a multiple of the market's price step.
   * Exactly one of `price` and `bboRole` is required.
   */
  price: v.exactOptional(positiveDecimal),
  /**
   * The exchange sets the limit price: `1` to the best price of the order's own side, `2` to the best price of the other
   * side. Exactly one of `price` and `bboRole` is required.
   */
  bboRole: v.exactOptional(oneOf(bboRoles)),
};

/** The parameters of a price: exactly one of them is required. */
export interface PriceParams extends ParamsOf<typeof priceParams> {}

/** The fields of a spot limit order that its market has rules for. */
interface Limit {
  readonly market: string;
  readonly side: OrderSide;
  readonly amount: string;
  readonly price?: string;
}

/** A limit order as it is checked. The exchange's own price is on its step, and the total is not known. */
export function limitToCheck({ market, side, amount, price }: Limit): OrderToCheck {
  return price === undefined
    ? { type: 'stock market', market, side, amount }
    : { type: 'limit', market, side, amount, price };
}
