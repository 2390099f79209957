// How prices and amounts compare, and their sums.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { OrderSide } from '../../model/order.js';

const none = decimal(0);

export function min(one: Decimal, other: Decimal): Decimal {
  return one.isLessThan(other) ? one : other;
}

/** By how much an amount is greater than another one, at least 0. */
export function excess(one: Decimal, other: Decimal): Decimal {
  return one.isGreaterThan(other) ? one.minus(other) : none;
}

export function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), none);
}

/** Whether a price is past a limit: above that of a buy, below that of a sell. */
export function isPast(side: OrderSide, price: Decimal, limit: Decimal): boolean {
  return side === 'buy' ? price.isGreaterThan(limit) : price.isLessThan(limit);
}

export function opposite(side: OrderSide): OrderSide {
  return side === 'buy' ? 'sell' : 'buy';
}
