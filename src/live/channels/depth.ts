// Channel `depth`: the order book of a market, as snapshots and changes.
import { oneOf, type Rule } from '../../errors/index.js';
import type { Channel } from '../channel.js';
import { itemOf, listIn } from './read.js';
import { readDepthUpdate, type DepthUpdate } from '../order-book/index.js';

/** The numbers of price levels that the exchange accepts. */
export const depthLimits = [1, 5, 10, 20, 30, 50, 100] as const;
export const maxDepthLimit = Math.max(...depthLimits);

export function aDepthLimit(max: number = maxDepthLimit): Rule<(typeof depthLimits)[number]> {
  return oneOf(...depthLimits.filter((limit) => limit <= max));
}

/** @param limit how many levels of each side are subscribed */
export function depthOf(limit: number): Channel<DepthUpdate> {
  return {
    name: 'orderBook',
    method: 'depth',
    keys: 'each',
    // '0': prices are not rounded. The last parameter keeps the subscriptions of other markets.
    params: (markets) => markets.flatMap((market) => [market, limit, '0', true]),
    unsubscribeParams: (markets) => markets,
    read: (params) => {
      const [, , market] = listIn(params) ?? [];
      return [itemOf(market, readDepthUpdate(params))];
    },
    // A snapshot follows 10 s without a change.
    silenceMs: 12_000,
  };
}
