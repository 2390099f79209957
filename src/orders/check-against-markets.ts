// An order against the rules of its market, whichever of the exchange's that is.
import type { RequestIssue } from '../errors/index.js';
import { unreadableIn } from '../model/unreadable.js';
import { checkOrder, type OrderToCheck } from './check-order.js';
import type { MarketsByName } from './market-cache.js';

/** What is wrong with the order, one entry a rule; empty when nothing is. */
export function checkAgainstMarkets(markets: MarketsByName, order: OrderToCheck): RequestIssue[] {
  const market = markets.get(order.market);
  return market === undefined
    ? [{ field: 'market', message: `"${order.market}" ${whyMissing(markets)}` }]
    : checkOrder(market, order);
}

function whyMissing(markets: MarketsByName): string {
  const unreadable = unreadableIn(markets);
  if (unreadable === undefined) return 'is not a market of the exchange';
  return `is not among the markets whose rules could be read; ${unreadable.count} could not (the first: ${unreadable.sample})`;
}
