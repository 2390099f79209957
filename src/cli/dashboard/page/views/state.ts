// What the page knows: the parts of the feed as they were received last, and the state of the feed itself.
import type { PartValues, Series, Update } from '../../messages.js';

/** The page's own link to the dashboard's server. `rejected`: the server responded, but with no feed. */
export interface PageLink {
  readonly status: 'connecting' | 'live' | 'lost' | 'rejected';
  readonly since: number;
}

export interface State {
  readonly parts: Partial<PartValues>;
  readonly link: PageLink;
  readonly now: number;
}

export type PartName = keyof PartValues;

/** The most points of a series: more than the server sends. */
const maxPoints = 2000;

export function withUpdate(parts: Partial<PartValues>, update: Update): Partial<PartValues> {
  const { candles, latency, equity, ...others } = update.parts;
  return {
    ...{ ...parts, ...others },
    ...(candles && { candles: joined(parts.candles, candles) }),
    ...(latency && { latency: joined(parts.latency, latency) }),
    ...(equity && { equity: joined(parts.equity, equity) }),
  };
}

/** Points of the same time are replaced; the others follow. */
export function joined<Whole extends Series<{ readonly at: number }>>(before: Whole | undefined, series: Whole): Whole {
  if (series.whole || before === undefined) return series;
  const { at: from = Infinity } = series.points[0] ?? {};
  const kept = before.points.filter(({ at }) => at < from);
  return { ...series, points: [...kept, ...series.points].slice(-maxPoints) };
}
