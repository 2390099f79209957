// The candles of a market: those of the past by a request, then those of the live connection. After an outage the past is
// read again, and the outage stays known.
import {
  delay,
  distinctUntilChanged,
  filter,
  map,
  merge,
  of,
  scan,
  share,
  skip,
  switchMap,
  type Observable,
} from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import type { Candle } from '../../../model/candle.js';
import type { CandleRow, CandlesPart, Interval } from '../messages.js';
import { pageAmount, pageName } from '../page-text.js';
import { shown, untilRead, type Outage, type Reading } from './freshness.js';

const maxCandles = 500;
const maxOutages = 20;
const retryAfterMs = 5000;
const paceMs = 1000;
/** The exchange lists a candle this long after its end. */
const listedAfterMs = 2000;

type Step =
  | { readonly kind: 'past'; readonly candles: readonly Candle[] }
  | { readonly kind: 'candle'; readonly candle: Candle; readonly at: number }
  | { readonly kind: 'stale' };

interface State {
  readonly list: readonly CandleRow[];
  readonly outages: CandlesPart['outages'];
  readonly status: Reading<unknown>['status'];
  readonly at: number;
}

export function candles(
  exchange: Exchange,
  outage: Outage,
  market: string,
  interval: Interval,
): Observable<CandlesPart> {
  const live$ = exchange.live.candles({ market, interval }).pipe(share());
  const read$ = exchange.public.candles({ market, interval, limit: maxCandles }).pipe(
    untilRead(outage, retryAfterMs),
    map((list): Step => ({ kind: 'past', candles: list })),
  );
  // Read at first, whenever the live candles begin again, and when a candle has ended: its last trades may be missing.
  const restarted$ = live$.pipe(
    map(({ status }) => status === 'live'),
    distinctUntilChanged(),
    filter((isLive, index) => isLive && index > 0),
  );
  const ended$ = live$.pipe(
    map(({ time }) => time),
    distinctUntilChanged(),
    skip(1),
    delay(listedAfterMs),
  );
  const past$ = merge(of(undefined), restarted$, ended$).pipe(switchMap(() => read$));
  const step$ = live$.pipe(
    map(({ status, receivedAt, ...candle }): Step =>
      status === 'live' ? { kind: 'candle', candle, at: receivedAt } : { kind: 'stale' },
    ),
  );
  const empty: State = { list: [], outages: [], status: 'read', at: 0 };
  return merge(step$, past$).pipe(
    scan(afterStep, empty),
    map((state): Reading<State> => ({ value: state, status: state.status, at: state.at })),
    shown(outage, paceMs),
    map(({ value: { list = [], outages = [] } = {}, state }) => ({
      ...{ whole: true, points: list, outages, state, market: pageName(market), interval },
    })),
  );
}

function afterStep(state: State, step: Step): State {
  const now = Date.now();
  if (step.kind === 'stale') {
    const outages = [...state.outages, { from: now, to: null }].slice(-maxOutages);
    return { ...state, status: 'stale', outages };
  }
  if (step.kind === 'past') {
    const past = step.candles.map(rowOf);
    const { at: end = 0 } = past.at(-1) ?? {};
    // The live candle is newer than what was requested before it, and a candle that has ended is not.
    const isNewer = (row: CandleRow) => row.at > end || (row.at === end && row === state.list.at(-1));
    const list = merged(past, state.status === 'live' ? state.list.filter(isNewer) : []);
    const at = state.status === 'live' ? state.at : now;
    return { ...state, list, at };
  }
  const outages = state.outages.map((outage) => (outage.to === null ? { ...outage, to: now } : outage));
  return { ...state, list: merged(state.list, [rowOf(step.candle)]), outages, status: 'live', at: step.at };
}

/** Of one time, the later one. */
function merged(list: readonly CandleRow[], next: readonly CandleRow[]): readonly CandleRow[] {
  const [first] = next;
  const last = list.at(-1);
  // The usual case: another state of the last candle, or the one after it.
  if (first !== undefined && last !== undefined && first.at >= last.at)
    return [...(first.at === last.at ? list.slice(0, -1) : list), ...next].slice(-maxCandles);
  const byTime = new Map([...list, ...next].map((row) => [row.at, row]));
  return [...byTime.values()].toSorted((one, other) => one.at - other.at).slice(-maxCandles);
}

function rowOf({ time, open, high, low, close, volume = '' }: Candle): CandleRow {
  return {
    at: time * 1000,
    ...{ open: pageAmount(open), high: pageAmount(high), low: pageAmount(low) },
    ...{ close: pageAmount(close), volume: pageAmount(volume) },
  };
}
