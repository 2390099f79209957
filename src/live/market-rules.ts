// The rules of the markets that a caller names.
import * as v from 'valibot';
import { rule, type Rule } from '../errors/index.js';
import { marketNamePattern } from '../model/market.js';

/** A market. */
export const aMarket = rule<string>(
  (value) => typeof value === 'string' && marketNamePattern.test(value),
  'must be a market such as "BTC_USDT"',
);

const atLeastOne = 'must be an array of at least one market';

/** A list of at least one market. */
export const someMarkets: Rule<readonly string[]> = v.pipe(v.array(aMarket, atLeastOne), v.nonEmpty(atLeastOne));
