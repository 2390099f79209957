// The ticker of a market from the live connection, with the fields of a polled one.
import { map, type Observable } from 'rxjs';
import { valuesEvery, type Live, type LiveStatus, type MarketStatistics } from '../live/index.js';
import { decimal, formatDecimal, isAboveZero } from '../model/decimal.js';
import type { Ticker } from '../model/ticker.js';
import { unlessRefused, type Interruption } from './live-or-polls.js';
import type { PolledValue } from './polls.js';

/** As the exchange rounds the change in percent. */
const percentPlaces = 2;

/** @param polled the last ticker that was polled: some of its fields are not pushed */
export function liveTickers(
  live: Live,
  market: string,
  everyMs: number,
  polled: () => Ticker | undefined,
): Observable<PolledValue<Ticker> | Interruption> {
  return live.ticker({ markets: [market] }).pipe(
    valuesEvery(everyMs),
    map((value): PolledValue<Ticker> | Interruption => {
      if (value.status === 'stale' || !isAboveZero(value.last)) return 'interrupted';
      return {
        value: tickerOf(value, polled()),
        ...{ readAt: value.receivedAt, monotonicReadAt: performance.now() },
      };
    }),
    unlessRefused,
  );
}

function tickerOf(
  { last, open, volume, deal }: MarketStatistics & LiveStatus,
  { base_id, quote_id }: Pick<Ticker, 'base_id' | 'quote_id'> = {},
): Ticker {
  const isKnown = open !== undefined && isAboveZero(open);
  const change = isKnown
    ? decimal(last).minus(open).dividedBy(open).shiftedBy(2).decimalPlaces(percentPlaces)
    : undefined;
  return {
    last_price: last,
    ...(volume === undefined ? {} : { base_volume: volume }),
    ...(deal === undefined ? {} : { quote_volume: deal }),
    ...(change === undefined ? {} : { change: formatDecimal(change) }),
    ...(base_id === undefined ? {} : { base_id }),
    ...(quote_id === undefined ? {} : { quote_id }),
  };
}
