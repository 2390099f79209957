// Channel `candles`: the candle of a market that is being made, twice a second.
import { candleSchema, candleSeconds, type Candle, type CandleInterval } from '../../model/candle.js';
import { defineChannel, type Channel, type ChannelItem } from '../define-channel.js';
import { listIn, readBy } from './read.js';

/**
 * A connection has candles of one market and one period, and its pushes do not name the period: so each pair has a
 * connection and a definition of its own.
 */
export function candlesOf(market: string, interval: CandleInterval): Channel<Candle> {
  return defineChannel({
    name: 'candles',
    subscribe: 'candles_subscribe',
    unsubscribe: 'candles_unsubscribe',
    update: 'candles_update',
    keys: 'list',
    params: () => [market, candleSeconds[interval]],
    read: (params) => {
      const items: ChannelItem<Candle>[] = [];
      for (const tuple of listIn(params) ?? []) {
        const [fields, name] = Array.isArray(tuple) ? [tuple.slice(0, 7), tuple[7]] : [];
        const item = name === undefined || name === market ? readBy(candleSchema, fields) : undefined;
        if (item === undefined) return undefined;
        items.push({ key: market, item });
      }
      return items.length === 0 ? undefined : items;
    },
  });
}
