// Whether an order may enter: the rules of its market. Spec, Errors: which code and which field each case has. The
// request is invalid (422) when it breaks a rule that everyone can read; it is refused (400) for what the account has
// or does.
import { decimal, formatDecimal, type Decimal } from '../../model/decimal.js';
import { apiErrorCodes } from '../../model/error-body.js';
import { invalid, type Refusal } from '../refusal.js';
import type { NewOrder } from './engine-api.js';
import { amountStep, priceStep, type Listing } from './listing.js';
import type { OrderBook } from './order-book.js';

/** The market's book; refused when there is none, or when it does not trade so. */
export function admitMarket(book: OrderBook | undefined, collateral: boolean): OrderBook {
  if (book === undefined || !book.tradesEnabled || (collateral && !book.listing.isCollateral)) {
    throw invalid(422, apiErrorCodes.market, 'market', 'Market is not available.');
  }
  return book;
}

/** Checks steps, minima and maxima; `at` is the price a market order is worth. */
export function admitAmounts(order: NewOrder, listing: Listing, at: Decimal): void {
  const inQuote = order.type === 'market' && order.side === 'buy';
  const amount = decimal(order.amount);
  const price = order.type === 'limit' ? decimal(order.price) : at;
  const minimum = inQuote ? listing.minTotal : listing.minAmount;
  const step = inQuote ? priceStep({ ...listing, tickSize: '' }) : amountStep(listing);

  if (amount.isLessThan(minimum)) throw belowMinimum(minimum, step);
  if (!isMultiple(amount, step)) throw inQuote ? belowMinimum(minimum, step) : offStep('amount', step);
  if (order.type === 'limit') admitPrices(order, priceStep(listing));
  const total = inQuote ? amount : amount.multipliedBy(price);
  if (total.isLessThan(listing.minTotal)) {
    throw invalid(422, apiErrorCodes.amount, 'amount', `Total is less than min total ${listing.minTotal}`);
  }
  if (!decimal(listing.maxTotal).isZero() && total.isGreaterThan(listing.maxTotal)) {
    throw invalid(422, apiErrorCodes.amount, 'amount', `Total is greater than max total ${listing.maxTotal}`);
  }
}

/** Live: the price of a limit order and of its stops. */
function admitPrices({ price, stopLoss, takeProfit }: NewOrder & { readonly type: 'limit' }, tick: Decimal): void {
  for (const [field, value] of Object.entries({ price, stopLoss, takeProfit })) {
    if (value !== undefined && !isMultiple(decimal(value), tick)) throw offStep(field, tick);
  }
}

/** Spec, Errors: balance insufficient. */
export function notEnoughBalance(): Refusal {
  return invalid(400, apiErrorCodes.amount, 'amount', 'Not enough balance.');
}

/** Spec, Errors: two messages, the minimum and the step. */
function belowMinimum(minimum: string, step: Decimal): Refusal {
  return invalid(
    422,
    apiErrorCodes.amount,
    'amount',
    `Given amount is less than min amount ${minimum}`,
    `Min amount step = ${formatDecimal(step)}`,
  );
}

/** Live: since steps are checked by value, they have a code of their own. */
function offStep(field: string, step: Decimal): Refusal {
  return invalid(422, apiErrorCodes.step, field, `The ${field} must be a multiple of ${formatDecimal(step)}.`);
}

function isMultiple(value: Decimal, step: Decimal): boolean {
  return value.modulo(step).isZero();
}
