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
  const { name, stock, money } = market;
  const { activation_price, stop_limit_price, stopLoss, takeProfit } = order;
  const amountField = order.type === 'modification' && order.total !== undefined ? 'total' : 'amount';
  const inQuote = amountField === 'total' || (order.type === 'market' && order.side === 'buy');
  const given = {
    [amountField]: order.type === 'modification' ? (order.total ?? order.amount) : order.amount,
    price: 'price' in order ? order.price : undefined,
    ...{ activation_price, stop_limit_price, stopLoss, takeProfit },
  };
  const values = new Map<string, Decimal>();
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined && (field !== amountField || order.type === 'modification')) continue;
    const exact = value === undefined ? undefined : readDecimal(value);
    if (exact === undefined) return [notDecimal(field, value)];
    values.set(field, exact);
  }
  const amount = values.get(amountField);
  const total = inQuote || amount === undefined ? amount : values.get('price')?.multipliedBy(amount);
  const minAmount = boundOf(market, 'minAmount');
  const minTotal = boundOf(market, 'minTotal');
  const maxTotal = boundOf(market, 'maxTotal');

  const issues: RequestIssue[] = [];
  const refuse = (isBroken: boolean, field: string, message: string) => {
    if (isBroken) issues.push({ field, message });
  };
  refuse(order.market !== name, 'market', `"${order.market}" is not the market of these rules, ${name}`);
  refuse(market.tradesEnabled === false, 'market', `"${name}" does not accept orders now`);
  for (const [field, value] of values) {
    const written = `"${formatDecimal(value)}"`;
    if (inQuote && field === amountField) {
      const places = value.decimalPlaces() ?? 0;
      const allowed = Math.max(placesOf('checkOrder', 'moneyPrec', market.moneyPrec), 0);
      refuse(places > allowed, field, `${written} has ${places} decimals; ${name} allows ${allowed}`);
      continue;
    }
    const step = field === 'amount' ? amountStep('checkOrder', market) : priceStep('checkOrder', market);
    const what = `the ${field === 'amount' ? 'amount' : 'price'} step of ${name}`;
    const isMultiple = value.modulo(step).isZero();
    refuse(!isMultiple, field, `${written} is not a multiple of ${formatDecimal(step)}, ${what}`);
  }
  if (amount !== undefined && minAmount !== undefined && !inQuote) {
    const bound = `the minimum of ${name}, ${formatDecimal(minAmount)} ${stock}`;
    refuse(amount.isLessThan(minAmount), 'amount', `"${formatDecimal(amount)}" is below ${bound}`);
  }
  if (total === undefined) return issues;
  const makes = `makes a total of ${formatDecimal(total)}`;
  if (minTotal !== undefined) {
    const bound = `the minimum of ${name}, ${formatDecimal(minTotal)} ${money}`;
    refuse(total.isLessThan(minTotal), amountField, `${makes}, below ${bound}`);
  }
  // A maximum of zero means unlimited.
  if (maxTotal?.isZero() === false) {
    const bound = `the maximum of ${name}, ${formatDecimal(maxTotal)} ${money}`;
    refuse(total.isGreaterThan(maxTotal), amountField, `${makes}, above ${bound}`);
  }
  return issues;
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
  const message = `${quote(places)} must be a number of decimal places such as "6"`;
  throw new RequestError(where, [{ field: `market.${field}`, message }]);
}

/** An empty or zero step counts as absent. */
function stepOf(size: string | undefined): Decimal | undefined {
  const step = readDecimal(size ?? '');
  return step?.isGreaterThan(0) === true ? step : undefined;
}

function boundOf(market: MarketRules, field: 'minAmount' | 'minTotal' | 'maxTotal'): Decimal | undefined {
  const value = market[field];
  if (value === undefined) return undefined;
  const bound = readDecimal(value);
  if (bound === undefined) throw new RequestError('checkOrder', [notDecimal(`market.${field}`, value)]);
  return bound;
}

function notDecimal(field: string, value: string | number | undefined): RequestIssue {
  return { field, message: `${quote(value)} ${decimalRule}` };
}
