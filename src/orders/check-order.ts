// Checks an order against its market's rules before it is sent: minima, maxima and steps, in exact decimals.
import { RequestError, type RequestIssue, quote } from '../errors/index.js';
import { decimalPlaces, decimalRule, decimalStep, formatDecimal, readDecimal, type Decimal } from '../model/decimal.js';
import type { Market } from '../model/market.js';
import type { OrderToCheck } from '../model/order-to-check.js';

/** The part of a market's record that orders are checked against. */
export type MarketRules = Pick<
  Market,
  | 'name'
  | 'stock'
  | 'money'
  | 'stockPrec'
  | 'moneyPrec'
  | 'tickSize'
  | 'stepSize'
  | 'minAmount'
  | 'minTotal'
  | 'maxTotal'
  | 'tradesEnabled'
>;

/**
 * Checks an order against its market's rules: minAmount, minTotal, maxTotal, and the steps of amount and prices, as far as
 * the market has them. The total is known, and checked, for an order with a limit price and for a market buy, whose
 * amount is in the quote currency. Of a modification, the values that it has are checked.
 *
 * An amount in the base currency is a multiple of `stepSize`, a price of `tickSize`; where these are empty, of
 * 10^-stockPrec and 10^-moneyPrec. The amount of a market buy has at most moneyPrec decimal places.
 *
 * Throws {@link RequestError} when a rule of the market is not a decimal.
 *
 * @returns one issue for each broken rule; empty when the order is valid
 */
export function checkOrder(market: MarketRules, order: OrderToCheck): RequestIssue[] {
  const [amountField, givenAmount] = amountOf(order);
  const inQuote = amountField === 'total' || (order.type === 'market' && order.side === 'buy');
  const { activation_price, stop_limit_price, stopLoss, takeProfit } = order;
  const given = {
    price: order.type === 'limit' || order.type === 'modification' ? order.price : undefined,
    activation_price,
    stop_limit_price,
    stopLoss,
    takeProfit,
  };
  const amount = givenAmount === undefined ? undefined : readDecimal(givenAmount);
  if (amount === undefined && !(order.type === 'modification' && givenAmount === undefined))
    return [notDecimal(amountField, givenAmount)];
  const prices = new Map<string, Decimal>();
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const price = readDecimal(value);
    if (price === undefined) return [notDecimal(field, value)];
    prices.set(field, price);
  }
  const total = inQuote || amount === undefined ? amount : prices.get('price')?.multipliedBy(amount);
  const { name, stock, money } = market;
  const minAmount = boundOf(market, 'minAmount');
  const minTotal = boundOf(market, 'minTotal');
  const maxTotal = boundOf(market, 'maxTotal');

  return [
    order.market !== name && issue('market', `"${order.market}" is not the market of these rules, ${name}`),
    market.tradesEnabled === false && issue('market', `"${name}" does not accept orders now`),
    amount !== undefined &&
      (inQuote
        ? placesIssue(amountField, amount, market)
        : stepIssue('amount', amount, amountStep('checkOrder', market), `amount step of ${name}`)),
    ...[...prices].map(([field, price]) =>
      stepIssue(field, price, priceStep('checkOrder', market), `price step of ${name}`),
    ),
    !inQuote &&
      amount !== undefined &&
      isBelow(amount, minAmount) &&
      issue('amount', `"${formatDecimal(amount)}" is below the minimum of ${name}, ${market.minAmount ?? ''} ${stock}`),
    total !== undefined &&
      isBelow(total, minTotal) &&
      issue(
        amountField,
        `makes a total of ${formatDecimal(total)}, below the minimum of ${name}, ${market.minTotal ?? ''} ${money}`,
      ),
    total !== undefined &&
      isAbove(total, maxTotal) &&
      issue(
        amountField,
        `makes a total of ${formatDecimal(total)}, above the maximum of ${name}, ${market.maxTotal ?? ''} ${money}`,
      ),
  ].filter((found) => typeof found === 'object');
}

/** A modification has an amount, a total, or neither. */
function amountOf(order: OrderToCheck): readonly [field: string, value: string | number | undefined] {
  return order.type === 'modification' && order.total !== undefined ? ['total', order.total] : ['amount', order.amount];
}

/**
 * Rounds an amount in the base currency down to the market's amount step, so that it can be sent. Throws
 * {@link RequestError} for an invalid decimal, and for a market without a step.
 *
 * @returns a decimal string; `"0"` when the amount is less than a step
 *
 * @example
 * ```ts
 * import { roundAmount } from 'exchange-rx';
 *
 * roundAmount({ stockPrec: '6' }, 0.12345678); // "0.123456"
 * roundAmount({ stockPrec: '-3' }, 12345); // "12000"
 * ```
 */
export function roundAmount(market: Pick<Market, 'stockPrec' | 'stepSize'>, amount: string | number): string {
  return roundDown('roundAmount', 'amount', amount, amountStep('roundAmount', market));
}

/**
 * Rounds a price (or an amount in the quote currency) down to the market's price step, so that it can be sent. Throws
 * {@link RequestError} for an invalid decimal, and for a market without a step.
 *
 * @returns a decimal string; `"0"` when the price is less than a step
 *
 * @example
 * ```ts
 * import { roundPrice } from 'exchange-rx';
 *
 * roundPrice({ moneyPrec: '2' }, '60000.129'); // "60000.12"
 * roundPrice({ moneyPrec: '2', tickSize: '0.5' }, '60000.74'); // "60000.5"
 * ```
 */
export function roundPrice(market: Pick<Market, 'moneyPrec' | 'tickSize'>, price: string | number): string {
  return roundDown('roundPrice', 'price', price, priceStep('roundPrice', market));
}

function roundDown(where: string, field: string, value: string | number, step: Decimal): string {
  const exact = readDecimal(value);
  if (exact === undefined) throw new RequestError(where, [notDecimal(field, value)]);
  return formatDecimal(exact.minus(exact.modulo(step)));
}

function amountStep(where: string, { stepSize, stockPrec }: Pick<Market, 'stockPrec' | 'stepSize'>): Decimal {
  return stepOf(stepSize) ?? decimalStep(placesOf(where, 'stockPrec', stockPrec));
}

function priceStep(where: string, { tickSize, moneyPrec }: Pick<Market, 'moneyPrec' | 'tickSize'>): Decimal {
  return stepOf(tickSize) ?? decimalStep(placesOf(where, 'moneyPrec', moneyPrec));
}

/** A market that was not read by this package may hold anything. */
function placesOf(where: string, field: string, places: unknown): number {
  if (typeof places === 'string' && decimalPlaces.test(places)) return Number(places);
  throw new RequestError(where, [
    issue(`market.${field}`, `${quote(places)} must be a number of decimal places such as "6"`),
  ]);
}

/** An empty or zero step counts as absent. */
function stepOf(size: string | undefined): Decimal | undefined {
  const step = readDecimal(size ?? '');
  return step?.isGreaterThan(0) === true ? step : undefined;
}

function stepIssue(field: string, value: Decimal, step: Decimal, what: string): RequestIssue | false {
  return (
    !value.modulo(step).isZero() &&
    issue(field, `"${formatDecimal(value)}" is not a multiple of ${formatDecimal(step)}, the ${what}`)
  );
}

/** The decimal places of an amount in the quote currency. */
function placesIssue(field: string, amount: Decimal, { name, moneyPrec }: MarketRules): RequestIssue | false {
  const places = amount.decimalPlaces() ?? 0;
  const allowed = Math.max(placesOf('checkOrder', 'moneyPrec', moneyPrec), 0);
  return (
    places > allowed && issue(field, `"${formatDecimal(amount)}" has ${places} decimals; ${name} allows ${allowed}`)
  );
}

/** A bound of the market, if it has it. */
function boundOf(market: MarketRules, field: 'minAmount' | 'minTotal' | 'maxTotal'): Decimal | undefined {
  const value = market[field];
  if (value === undefined) return undefined;
  const bound = readDecimal(value);
  if (bound === undefined) throw new RequestError('checkOrder', [notDecimal(`market.${field}`, value)]);
  return bound;
}

function isBelow(value: Decimal, minimum: Decimal | undefined): boolean {
  return minimum !== undefined && value.isLessThan(minimum);
}

/** A maximum of zero means unlimited. */
function isAbove(value: Decimal, maximum: Decimal | undefined): boolean {
  return maximum !== undefined && !maximum.isZero() && value.isGreaterThan(maximum);
}

function notDecimal(field: string, value: string | number | undefined): RequestIssue {
  return issue(field, `${quote(value)} ${decimalRule}`);
}

function issue(field: string, message: string): RequestIssue {
  return { field, message };
}
