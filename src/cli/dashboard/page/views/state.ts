// What the page knows: the parts of the feed as they were received last, and the state of the feed itself.
import type { Parts, Series, Update } from '../../messages.js';

/** The page's own link to the dashboard's server. `rejected`: the server responded, but with no feed. */
export interface PageLink {
  readonly status: 'connecting' | 'live' | 'lost' | 'rejected';
  /** Since when it is so, by the server's clock. */
  readonly since: number;
}

export interface State {
  readonly parts: Partial<Parts>;
  readonly link: PageLink;
  /** The server's time now. */
  readonly now: number;
}

export type PartName = keyof Parts;

const partNames: ReadonlySet<string> = new Set<PartName>([
  ...(['about', 'markets', 'links', 'exchange', 'latency', 'market', 'strip', 'candles', 'book', 'trades'] as const),
  ...(['executions', 'orders', 'positions', 'account', 'equity', 'acts'] as const),
]);
/** The most points of a series: more than the server sends. */
const maxPoints = 2000;

/** The parts with those of an update. */
export function withUpdate(parts: Partial<Parts>, update: Update): Partial<Parts> {
  const { candles, latency, equity } = update.parts;
  return {
    ...parts,
    ...update.parts,
    ...(candles === undefined ? {} : { candles: joined(parts.candles, candles) }),
    ...(latency === undefined ? {} : { latency: joined(parts.latency, latency) }),
    ...(equity === undefined ? {} : { equity: joined(parts.equity, equity) }),
  };
}

/** Points of the same time are replaced; the others follow. */
export function joined<Whole extends Series<{ readonly at: number }>>(before: Whole | undefined, series: Whole): Whole {
  const [first] = series.points;
  if (series.whole || before === undefined || first === undefined)
    return before === undefined || series.whole ? series : { ...series, points: before.points };
  const kept = before.points.filter(({ at }) => at < first.at);
  return { ...series, points: [...kept, ...series.points].slice(-maxPoints) };
}

/** An event of the feed; `undefined` for a malformed one. Unknown parts are left out. */
export function readUpdate(data: string): Update | undefined {
  try {
    const update: unknown = JSON.parse(data);
    if (!isObject(update) || !isObject(update['parts']) || !Number.isFinite(update['now'])) return undefined;
    const entries = Object.entries(update['parts']).filter(([name, part]) => partNames.has(name) && isObject(part));
    return { now: Number(update['now']), parts: Object.fromEntries(entries) };
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
