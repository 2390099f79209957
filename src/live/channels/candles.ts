// Channel `candles`: the candle of a market that is being made, twice a second.
import { candleSchema, candleSeconds, type Candle, type CandleInterval } from '../../model/candle.js';
import type { Channel } from '../channel.js';
import { itemOf, readBy, tuplesReader } from './read.js';

/**
 * A connection has candles of one market and one period, and its pushes do not name the period: so each pair has a
 * connection and a definition of its own.
 */
export function candlesOf(market: string, interval: CandleInterval): Channel<Candle> {
  return {
    name: 'candles',
    method: 'candles',
    params: () => [market, candleSeconds[interval]],
    // The last field is the market, where a candle has it.
    read: tuplesReader((tuple) => itemOf(tuple[7] ?? market, readBy(candleSchema, tuple.slice(0, 7)))),
  };
}
