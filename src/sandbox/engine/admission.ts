// The rules of a market that an order must keep. Spec, Errors: the code and the field of each case. A request that
// breaks a public rule is invalid (422); an order that the account cannot pay for is rejected with 400.
import { decimal, formatDecimal, type Decimal } from '../../model/decimal.js';
import { apiErrorCodes } from '../../model/error-body.js';
import type { PositionSide } from '../../model/order.js';
import { invalid, refused, type Rejection } from '../rejection.js';
import { isInQuote, type NewOrder } from './book-order.js';
import { amountStep, priceStep, type Listing } from './listing.js';
import type { OrderBook } from './order-book.js';

export function admitMarket(book: OrderBook | undefined, on: 'spot' | 'collateral' | 'either'): OrderBook {
  const isElsewhere =
    (on === 'collateral' && book?.listing.isCollateral === false) ||
    (on === 'spot' && book?.listing.type === 'futures');
  if (book === undefined || !book.tradesEnabled || book.recorded?.isOpen === false || isElsewhere) {
    throw invalid(422, apiErrorCodes.market, 'market', 'Market is not available.');
  }
  return book;
}

export function admitHedgedSide(positionSide: PositionSide | undefined): void {
  if (positionSide !== 'LONG' && positionSide !== 'SHORT')
    throw invalid(422, 114, 'positionSide', 'Position side must be LONG or SHORT in hedge mode.');
}

/** Checks steps, minima and maxima; `price` is the limit price, or the one that a market order is valued at. */
export function admitAmounts(order: NewOrder, listing: Listing, price: Decimal): void {
  const inQuote = isInQuote(order);
  const amount = decimal(order.amount);
  const minimum = inQuote ? listing.minTotal : listing.minAmount;
  const step = inQuote ? priceStep({ ...listing, tickSize: '' }) : amountStep(listing);

  if (amount.isLessThan(minimum)) throw belowMinimum(minimum, step);
  if (!isMultiple(amount, step)) throw inQuote ? belowMinimum(minimum, step) : offStep('amount', step);
  const { stopLoss, takeProfit, activation_price } = order;
  admitPrices({ price: order.price, activation_price, stopLoss, takeProfit }, priceStep(listing));
  const total = inQuote ? amount : amount.multipliedBy(price);
  if (total.isLessThan(listing.minTotal)) throw badTotal(order, 'less than', 'min', listing.minTotal);
  if (!decimal(listing.maxTotal).isZero() && total.isGreaterThan(listing.maxTotal))
    throw badTotal(order, 'greater than', 'max', listing.maxTotal);
}

/** Live: every price of an order, by field. */
export function admitPrices(prices: Readonly<Record<string, string | undefined>>, tick: Decimal): void {
  for (const [field, value] of Object.entries(prices)) {
    if (value !== undefined && !isMultiple(decimal(value), tick)) throw offStep(field, tick);
  }
}

/** Published for the spot orders with a price; of the others the spec has the field `amount`. */
function badTotal(order: NewOrder, is: string, bound: 'min' | 'max', value: string): Rejection {
  if (!order.collateral && (order.type === 'limit' || order.type === 'stop limit')) {
    return invalid(422, apiErrorCodes.validation, 'total', `Total (amount * price) is ${is} ${value}`);
  }
  return invalid(422, apiErrorCodes.amount, 'amount', `Total is ${is} ${bound} total ${value}`);
}

/** Spec, Errors: balance insufficient. Older descriptions: the matching engine itself rejects a spot limit order. */
export function notEnoughBalance(type: NewOrder['type']): Rejection {
  const message = 'Not enough balance.';
  return type === 'limit'
    ? refused(apiErrorCodes.balance, 'amount', message, 400)
    : invalid(400, apiErrorCodes.amount, 'amount', message);
}

/** A maker-only order that would execute at once. Older descriptions: status 400 on spot. */
export function wouldTake({ collateral, rpi }: Pick<NewOrder, 'collateral' | 'rpi'>): Rejection {
  const field = rpi === true ? 'rpi' : 'postOnly';
  return refused(apiErrorCodes.wouldTake, field, 'The order would be executed as taker.', collateral ? 422 : 400);
}

/** Spec, Errors: two messages, one for the minimum and one for the step. */
function belowMinimum(minimum: string, step: Decimal): Rejection {
  const messages = [`Given amount is less than min amount ${minimum}`, `Min amount step = ${formatDecimal(step)}`];
  return invalid(422, apiErrorCodes.amount, 'amount', ...messages);
}

/** Live: steps are checked by value and have their own code. */
function offStep(field: string, step: Decimal): Rejection {
  return invalid(422, apiErrorCodes.step, field, `The ${field} must be a multiple of ${formatDecimal(step)}.`);
}

function isMultiple(value: Decimal, step: Decimal): boolean {
  return value.modulo(step).isZero();
}

export function notFound(field: string): Rejection {
  return refused(apiErrorCodes.orderNotFound, field, 'Unexecuted order was not found.');
}
