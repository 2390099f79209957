// Channel `candles`: the candle of a market that is being made, twice a second.
import { candleSchema, type Candle, type CandleInterval } from '../../model/candle.js';
import { defineChannel, type Channel } from '../define-channel.js';
import { itemOf, readBy, tuplesReader } from './read.js';

/** The periods of candles, seconds. */
export const candlePeriods: Readonly<Record<CandleInterval, number>> = {
  ...{ '1s': 1, '10s': 10, '30s': 30 },
  ...{ '1m': 60, '3m': 180, '5m': 300, '15m': 900, '30m': 1800 },
  ...{ '1h': 3600, '2h': 7200, '4h': 14_400, '6h': 21_600, '8h': 28_800, '12h': 43_200 },
  ...{ '1d': 86_400, '3d': 259_200, '1w': 604_800, '1M': 2_592_000 },
};

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
    params: () => [market, candlePeriods[interval]],
    // The last field is the market, where a candle has it.
    read: tuplesReader((tuple) => itemOf(tuple[7] ?? market, readBy(candleSchema, tuple.slice(0, 7)))),
  });
}
