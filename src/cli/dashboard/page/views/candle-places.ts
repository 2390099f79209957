// Where on the chart's time axis outages and executions are: lightweight-charts knows places of whole candles only.
import type { CandleRow, CandlesPart, ExecutionRow, Interval } from '../../messages.js';
import { isStale } from './ages.js';
import { clock } from './format.js';
import type { State } from './state.js';

/** From one place on the time axis to another, as fractional numbers of candles; `to` is `null` while it lasts. */
export interface OutageBand {
  readonly from: number;
  readonly to: number | null;
  readonly text: string;
}

/** The place of a time among the candles, in candles from the first one; beyond the last one it goes on. */
export function placeOf(at: number, candles: readonly { readonly at: number }[], intervalMs: number): number {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((candles[middle]?.at ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  const index = low - 1;
  const candle = candles[index];
  if (candle === undefined) return 0;
  const within = (at - candle.at) / intervalMs;
  // A market without trades has no candle for some time, and no room for it either.
  return index - 0.5 + (index === candles.length - 1 ? within : Math.min(1, within));
}

/** Outages that were, and the one that is: everything after it was not seen. */
export function outageBands(part: CandlesPart, state: Pick<State, 'now' | 'link'>): readonly OutageBand[] {
  const { points, interval } = part;
  const bands = part.outages.map(({ from, to }) => ({ from, to }));
  if (isStale(part.state, state) && !bands.some(({ to }) => to === null))
    bands.push({ from: part.state.status === 'stale' ? part.state.since : state.link.since, to: null });
  return bands.map(({ from, to }) => ({
    from: placeOf(from, points, intervalMs[interval]),
    to: to === null ? null : placeOf(to, points, intervalMs[interval]),
    text: `no data since ${clock(from)}`,
  }));
}

export function executionMarkers(
  list: readonly ExecutionRow[],
  market: string,
  candles: readonly CandleRow[],
  width: number,
): readonly { readonly at: number; readonly side: 'buy' | 'sell' }[] {
  const marks = new Map<string, { readonly at: number; readonly side: 'buy' | 'sell' }>();
  const [first] = candles;
  for (const { market: name, at, side } of list) {
    if (name !== market || side === 'unknown' || first === undefined || at < first.at) continue;
    const candle = candles[Math.floor(placeOf(at, candles, width) + 0.5)];
    if (candle !== undefined) marks.set(`${candle.at} ${side}`, { at: candle.at, side });
  }
  return [...marks.values()].toSorted((one, other) => one.at - other.at);
}

export const intervalMs: Readonly<Record<Interval, number>> = {
  ...{ '1m': 60_000, '5m': 300_000, '15m': 900_000 },
  ...{ '1h': 3_600_000, '4h': 14_400_000, '1d': 86_400_000 },
};
