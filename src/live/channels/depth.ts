// Channel `depth`: the order book of a market, as snapshots and changes.
import { oneOf, type Rule } from '../../errors/index.js';
import type { Channel } from '../channel.js';
import { itemOf, listIn } from './read.js';
import { readDepthUpdate, type DepthUpdate } from '../order-book/index.js';

/** The numbers of price levels that the exchange accepts. */
export const depthLimits = [1, 5, 10, 20, 30, 50, 100] as const;
export const maxDepthLimit = Math.max(...depthLimits);

/** The rule of a number of price levels. */
export function aDepthLimit(max: number = maxDepthLimit): Rule<(typeof depthLimits)[number]> {
  return oneOf(...depthLimits.filter((limit) => limit <= max));
}

/** The interval of order books whose prices are not rounded. */
export const noInterval = '0';

/** The steps to which prices are rounded, or none. */
export const depthIntervals = [
  ...[noInterval, '0.00000001', '0.0000001', '0.000001', '0.00001'],
  ...['0.0001', '0.001', '0.01', '0.1'],
] as const;

/**
 * A connection has one subscription for each market: markets of another interval take another connection.
 *
 * @param limit how many levels of each side are subscribed
 */
export function depthOf(interval: string, limit: number): Channel<DepthUpdate> {
  return {
    name: 'orderBook',
    method: 'depth',
    keys: 'each',
    // The last parameter keeps the subscriptions of other markets.
    params: (markets) => markets.flatMap((market) => [market, limit, interval, true]),
    unsubscribeParams: (markets) => markets,
    read: (params) => {
      const [, , market] = listIn(params) ?? [];
      return [itemOf(market, readDepthUpdate(params))];
    },
    // A snapshot follows 10 s without a change.
    silenceMs: 12_000,
  };
}
