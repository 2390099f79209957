// The rules of a market that an order must keep. Spec, Errors: the code and the field of each case. A request that
// breaks a public rule is invalid (422); an order that the account cannot pay for is rejected with 400.
import { decimal, formatDecimal, type Decimal } from '../../model/decimal.js';
import { apiErrorCodes } from '../../model/error-body.js';
import { invalid, type Rejection } from '../rejection.js';
import type { NewOrder } from './engine-api.js';
import { amountStep, priceStep, type Listing } from './listing.js';
import type { OrderBook } from './order-book.js';

/**
 * The market's book; throws when the market does not exist, does not trade, or does not trade there: only some markets
 * trade on collateral, and perpetuals trade nowhere else.
 */
export function admitMarket(book: OrderBook | undefined, on: 'spot' | 'collateral' | 'either'): OrderBook {
  const isElsewhere =
    (on === 'collateral' && book?.listing.isCollateral === false) ||
    (on === 'spot' && book?.listing.type === 'futures');
  if (book === undefined || !book.tradesEnabled || isElsewhere) {
    throw invalid(422, apiErrorCodes.market, 'market', 'Market is not available.');
  }
  return book;
}

/** Checks steps, minima and maxima; `at` is the price that a market order is valued at. */
export function admitAmounts(order: NewOrder, listing: Listing, at: Decimal): void {
  const inQuote = order.type === 'market' && order.side === 'buy';
  const amount = decimal(order.amount);
  const price = order.type === 'limit' ? decimal(order.price) : at;
  const minimum = inQuote ? listing.minTotal : listing.minAmount;
  const step = inQuote ? priceStep({ ...listing, tickSize: '' }) : amountStep(listing);

  if (amount.isLessThan(minimum)) throw belowMinimum(minimum, step);
  if (!isMultiple(amount, step)) throw inQuote ? belowMinimum(minimum, step) : offStep('amount', step);
  if (order.type === 'limit') {
    const { stopLoss, takeProfit } = order;
    admitPrices({ price: order.price, stopLoss, takeProfit }, priceStep(listing));
  }
  const total = inQuote ? amount : amount.multipliedBy(price);
  if (total.isLessThan(listing.minTotal)) {
    throw invalid(422, apiErrorCodes.amount, 'amount', `Total is less than min total ${listing.minTotal}`);
  }
  if (!decimal(listing.maxTotal).isZero() && total.isGreaterThan(listing.maxTotal)) {
    throw invalid(422, apiErrorCodes.amount, 'amount', `Total is greater than max total ${listing.maxTotal}`);
  }
}

/** Live: the price of a limit order and of its stop orders, by field. */
export function admitPrices(prices: Readonly<Record<string, string | undefined>>, tick: Decimal): void {
  for (const [field, value] of Object.entries(prices)) {
    if (value !== undefined && !isMultiple(decimal(value), tick)) throw offStep(field, tick);
  }
}

/** Spec, Errors: balance insufficient. */
export function notEnoughBalance(): Rejection {
  return invalid(400, apiErrorCodes.amount, 'amount', 'Not enough balance.');
}

/** Spec, Errors: two messages, one for the minimum and one for the step. */
function belowMinimum(minimum: string, step: Decimal): Rejection {
  return invalid(
    422,
    apiErrorCodes.amount,
    'amount',
    `Given amount is less than min amount ${minimum}`,
    `Min amount step = ${formatDecimal(step)}`,
  );
}

/** Live: steps are checked by value and have their own code. */
function offStep(field: string, step: Decimal): Rejection {
  return invalid(422, apiErrorCodes.step, field, `The ${field} must be a multiple of ${formatDecimal(step)}.`);
}

function isMultiple(value: Decimal, step: Decimal): boolean {
  return value.modulo(step).isZero();
}
