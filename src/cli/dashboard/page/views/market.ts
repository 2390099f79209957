// Rules and prices of markets, as the parts of the page need them.
import type { MarketList, MarketRules } from '../../messages.js';
import { isStale } from './ages.js';
import type { State } from './state.js';

const byList = new WeakMap<MarketList, ReadonlyMap<string, MarketRules>>();

export function rulesOf({ parts: { markets, market } }: Pick<State, 'parts'>, name: string): MarketRules | undefined {
  if (market?.rules?.name === name) return market.rules;
  if (markets === undefined) return undefined;
  const known = byList.get(markets) ?? new Map(markets.list.map((rules) => [rules.name, rules]));
  byList.set(markets, known);
  return known.get(name);
}

/** Decimals of prices, and of amounts, of a market; 0 where they are not known: figures stay as they are. */
export function decimalsOf(
  state: Pick<State, 'parts'>,
  name: string,
): { readonly price: number; readonly amount: number } {
  const rules = rulesOf(state, name);
  return { price: rules?.priceDecimals ?? 0, amount: rules?.amountDecimals ?? 0 };
}

/** The arrow of the last price; a stale price has none. */
export function arrowOf(state: State): string {
  const { market } = state.parts;
  if (typeof market?.last !== 'string' || market.direction === 'same' || isStale(market.state, state)) return '';
  return market.direction === 'up' ? '↑' : '↓';
}
