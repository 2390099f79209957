// The rules of the markets that a caller names.
import { quote, type Rule } from '../errors/index.js';
import { marketNamePattern } from '../model/market.js';

/** A market. */
export const aMarket: Rule = (value) =>
  typeof value === 'string' && marketNamePattern.test(value)
    ? undefined
    : `${quote(value)} must be a market such as "BTC_USDT"`;

/** A list of at least one market. */
export const someMarkets: Rule = (value, where) => {
  if (!Array.isArray(value) || value.length === 0) return 'must be an array of at least one market';
  const wrong: unknown = value.find((one) => aMarket(one, where) !== undefined);
  return wrong === undefined ? undefined : aMarket(wrong, where);
};
