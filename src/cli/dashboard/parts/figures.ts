// Figures that the server computes for its page, as decimal strings: percentages, averages, values in a currency.
import { decimal, formatDecimal, readDecimal, type Decimal } from '../../../model/decimal.js';
import type { Market } from '../../../model/market.js';
import type { MarketRules } from '../messages.js';
import { pageName } from '../page-text.js';

/** Decimals of a computed figure: at least those of cents. */
const minDecimals = 2;

/** Rounded to so many places, all of which are written. */
export function rounded(value: Decimal, places: number): string {
  return value.toFixed(Math.max(0, Math.min(places, 20)));
}

/** The same, with `+` before a figure above zero; empty for an unknown one. */
export function signed(value: Decimal | undefined, places: number): string {
  if (value === undefined) return '';
  const text = rounded(value, places);
  // Minus zero, and what rounds to zero, has no sign.
  if (!/[1-9]/.test(text)) return text.replace('-', '');
  return value.isPositive() ? `+${text}` : text;
}

/** By how many percent a value is above another, such as `+1.24`; empty when one of them is missing or zero. */
export function percentAbove(value: string | undefined, base: string | undefined): string {
  const [of, from] = [readAmount(value), readAmount(base)];
  if (of === undefined || from === undefined || from.isZero()) return '';
  return signed(of.dividedBy(from).minus(1).multipliedBy(100), 2);
}

/** A decimal of the exchange; `undefined` for an absent, an empty or an unreadable one. */
export function readAmount(text: string | undefined): Decimal | undefined {
  return readDecimal(text ?? '');
}

export function quoteDecimals(rules: MarketRules | undefined): number {
  return Math.max(minDecimals, rules?.priceDecimals ?? 0);
}

export function sum(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((total, amount) => total.plus(amount), decimal(0));
}

export function rulesOf(market: Market): MarketRules {
  const tick = stepOf(market.tickSize, market.moneyPrec);
  return {
    name: pageName(market.name),
    base: pageName(market.stock),
    quote: pageName(market.money),
    priceDecimals: decimalsIn(tick),
    amountDecimals: decimalsIn(stepOf(market.stepSize, market.stockPrec)),
    tick: formatDecimal(tick),
  };
}

function decimalsIn(step: Decimal): number {
  return Math.max(0, Number(step.decimalPlaces()));
}

function stepOf(step: string | undefined, places: string): Decimal {
  const given = readAmount(step);
  return given?.isGreaterThan(0) === true ? given : decimal(1).shiftedBy(-Number(places));
}

export type Prices = ReadonlyMap<string, string>;

/** How many of `currency` one of `asset` is worth, by the last prices: directly, or through another currency. */
export function rateOf(asset: string, currency: string, prices: Prices, through = bridges): Decimal | undefined {
  if (asset === currency) return decimal(1);
  const direct = readAmount(prices.get(`${asset}_${currency}`));
  if (direct !== undefined) return direct;
  const inverse = readAmount(prices.get(`${currency}_${asset}`));
  if (inverse?.isGreaterThan(0) === true) return decimal(1).dividedBy(inverse);
  for (const bridge of through) {
    const [first, second] = [rateOf(asset, bridge, prices, []), rateOf(bridge, currency, prices, [])];
    if (first !== undefined && second !== undefined) return first.multipliedBy(second);
  }
  return undefined;
}

const bridges = ['USDT', 'BTC'];

/** Unix ms of Unix seconds; `null` for a time that a Date cannot hold. */
export function timeOf(seconds: number | undefined): number | null {
  const at = new Date((seconds ?? NaN) * 1000).getTime();
  return Number.isNaN(at) ? null : at;
}

export function sideOf(side: string | undefined): 'buy' | 'sell' | 'unknown' {
  return side === 'buy' || side === 'sell' ? side : 'unknown';
}
