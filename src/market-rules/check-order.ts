// An order against its market's rules, before it is sent: minima, maxima and steps, in exact decimals.
import { RequestError, type RequestIssue } from '../errors.js';
import { decimal, decimalRule, decimalStep, formatDecimal, readDecimal, type Decimal } from '../model/decimal.js';
import type { Market } from '../model/market.js';
import type { OrderSide } from '../model/order.js';
import { breaches, oneOf } from '../option-rules.js';

/** The part of a market's record that orders are checked against. */
export type MarketRules = Pick<
  Market,
  'name' | 'stock' | 'money' | 'stockPrec' | 'moneyPrec' | 'minAmount' | 'minTotal' | 'maxTotal' | 'tradesEnabled'
>;

/** An order, as far as a market's rules look at it. Amounts and prices are decimal strings or finite numbers. */
export type OrderToCheck =
  | {
      /** A limit order: `placeLimitOrder`. */
      readonly type: 'limit';
      /** The pair, `BASE_QUOTE`. */
      readonly market: string;
      /** `buy` or `sell`. */
      readonly side: OrderSide;
      /** In the base currency. */
      readonly amount: string | number;
      /** In the quote currency. */
      readonly price: string | number;
    }
  | {
      /** A market order for an amount of the base currency: `placeStockMarketOrder`. */
      readonly type: 'stock market';
      /** The pair, `BASE_QUOTE`. */
      readonly market: string;
      /** `buy` or `sell`. */
      readonly side: OrderSide;
      /** In the base currency, on both sides. */
      readonly amount: string | number;
    }
  | {
      /** A market order that buys for an amount of the quote currency: `placeMarketOrder`. */
      readonly type: 'market';
      /** The pair, `BASE_QUOTE`. */
      readonly market: string;
      /** `buy` or `sell`. */
      readonly side: OrderSide;
      /** In the quote currency for a buy, in the base currency for a sell. */
      readonly amount: string | number;
    };

const aType = oneOf('limit', 'stock market', 'market');
const aSide = oneOf('buy', 'sell');

/**
 * Checks an order against its market's rules: minAmount, minTotal, maxTotal and the steps of amount and price. A total is checked
 * where the order states it: with a limit price, or in the quote amount of a market buy.
 *
 * @returns what is wrong, one entry a rule; empty when nothing is
 * @example
 * ```ts
 * import { checkOrder, type MarketRules } from 'exchange-rx';
 *
 * const market: MarketRules = {
 *   name: 'BTC_USDT', stock: 'BTC', money: 'USDT', stockPrec: '6', moneyPrec: '2',
 *   minAmount: '0.0001', minTotal: '5', maxTotal: '0',
 * };
 * const issues = checkOrder(market, { type: 'limit', market: 'BTC_USDT', side: 'buy', amount: '1e-9', price: '40000' });
 * // amount "0.000000001" has 9 decimals, BTC_USDT allows 6; ...
 * ```
 */
export function checkOrder(market: MarketRules, order: OrderToCheck): RequestIssue[] {
  // By JavaScript anything may be given: an order of another type or side would pass for want of rules.
  const unknown = [...breaches('type', order.type, aType, 'checkOrder'), ...breaches('side', order.side, aSide, 'checkOrder')];
  if (unknown.length > 0) return unknown;
  const inQuote = order.type === 'market' && order.side === 'buy';
  const amount = readDecimal(order.amount);
  if (amount === undefined) return [notDecimal('amount', order.amount)];
  const price = order.type === 'limit' ? readDecimal(order.price) : undefined;
  if (order.type === 'limit' && price === undefined) return [notDecimal('price', order.price)];
  const total = inQuote ? amount : price?.multipliedBy(amount);

  return [
    order.market !== market.name && issue('market', `"${order.market}" is not ${market.name}`),
    market.tradesEnabled === false && issue('market', `"${market.name}" does not accept orders now`),
    stepIssue('amount', amount, inQuote ? market.moneyPrec : market.stockPrec, market.name),
    price !== undefined && stepIssue('price', price, market.moneyPrec, market.name),
    !inQuote &&
      amount.isLessThan(market.minAmount) &&
      issue('amount', `"${formatDecimal(amount)}" is below the minimum of ${market.name}, ${market.minAmount} ${market.stock}`),
    total?.isLessThan(market.minTotal) &&
      issue('amount', `makes a total of ${formatDecimal(total)}, below the minimum of ${market.name}, ${market.minTotal} ${market.money}`),
    total !== undefined &&
      exceeds(total, market.maxTotal) &&
      issue('amount', `makes a total of ${formatDecimal(total)}, above the maximum of ${market.name}, ${market.maxTotal} ${market.money}`),
  ].filter((found) => typeof found === 'object');
}

/**
 * Rounds an amount in the base currency down to the market's amount step, so that it can be sent. Throws {@link RequestError} for what is
 * no decimal.
 *
 * @returns a decimal string; `"0"` when the amount is less than a step
 *
 * @example
 * ```ts
 * import { roundAmount } from 'exchange-rx';
 *
 * roundAmount({ stockPrec: '6' }, 0.12345678); // "0.123456"
 * ```
 */
export function roundAmount(market: Pick<Market, 'stockPrec'>, amount: string | number): string {
  return roundDown('roundAmount', 'amount', amount, market.stockPrec);
}

/**
 * Rounds a price (or an amount in the quote currency) down to the market's price step, so that it can be sent. Throws
 * {@link RequestError} for what is no decimal.
 *
 * @returns a decimal string; `"0"` when the price is less than a step
 *
 * @example
 * ```ts
 * import { roundPrice } from 'exchange-rx';
 *
 * roundPrice({ moneyPrec: '2' }, '60000.129'); // "60000.12"
 * ```
 */
export function roundPrice(market: Pick<Market, 'moneyPrec'>, price: string | number): string {
  return roundDown('roundPrice', 'price', price, market.moneyPrec);
}

function roundDown(where: string, field: string, value: string | number, places: string): string {
  const step = decimalStep(Number(places));
  const exact = readDecimal(value);
  if (exact === undefined) throw new RequestError(where, [notDecimal(field, value)]);
  return formatDecimal(exact.minus(exact.modulo(step)));
}

function stepIssue(field: string, value: Decimal, allowedPlaces: string, market: string): RequestIssue | false {
  const places = value.decimalPlaces() ?? 0;
  return (
    places > Number(allowedPlaces) &&
    issue(field, `"${formatDecimal(value)}" has ${places} decimals, ${market} allows ${allowedPlaces}`)
  );
}

/** A maximum of zero is no bound. */
function exceeds(total: Decimal, maximum: string): boolean {
  return !decimal(maximum).isZero() && total.isGreaterThan(maximum);
}

function notDecimal(field: string, value: string | number): RequestIssue {
  return issue(field, `${typeof value === 'string' ? JSON.stringify(value) : value} ${decimalRule}`);
}

function issue(field: string, message: string): RequestIssue {
  return { field, message };
}
