// Live candles on a terminal: a chart of the newest ones, or a line for each change of the current one.
import { catchError, concatMap, defer, EMPTY, map, merge, scan, throwError, type Observable } from 'rxjs';
import { isExchangeError, RequestError } from '../../errors/index.js';
import type { Exchange } from '../../exchange.js';
import type { LiveCandle } from '../../live/index.js';
import type { Candle, CandleInterval } from '../../model/candle.js';
import { poll } from '../../operators/index.js';
import { formatAmount, formatTime, join, text, type Colors, type SafeText } from '../terminal/index.js';
import { candleChart, withCandle } from './candle-chart.js';
import { statusText } from './live-status.js';

/** Candles of the chart, which is 80 columns wide with its prices. */
const shownCandles = 32;
const chartRows = 16;
/** The closed candles are read again this often: the last push of a candle need not be its end. */
const closedEveryMs = 5000;

export interface CandlesView {
  readonly market: string;
  readonly interval: CandleInterval;
  /** Oldest first. */
  readonly candles: readonly Candle[];
  /** The one that is being made. */
  readonly current: LiveCandle | undefined;
}

/** The newest `count` candles: the closed ones by requests, and the current one by the live connection. */
export function candlesView(
  exchange: Exchange,
  market: string,
  interval: CandleInterval,
  count = shownCandles,
): Observable<CandlesView> {
  const list$ = defer(() => exchange.public.candles({ market, interval, limit: count }, { retry: false }));
  const closed$ = list$.pipe(
    // The next poll is the retry.
    catchError((error: unknown) =>
      isExchangeError(error) && !(error instanceof RequestError) ? EMPTY : throwError(() => error),
    ),
    poll({ everyMs: closedEveryMs }),
    concatMap((candles) => candles),
    map((candle) => ({ candle, current: undefined })),
  );
  const current$ = exchange.live.candles({ market, interval }).pipe(map((current) => ({ candle: current, current })));
  const first: CandlesView = { market, interval, candles: [], current: undefined };
  return merge(current$, closed$).pipe(
    scan(
      (view, { candle, current }) => ({
        ...view,
        candles: withCandle(view.candles, candle, count),
        current: current ?? view.current,
      }),
      first,
    ),
  );
}

/** The chart, and the current candle below it. */
export function candleScreen({ market, interval, candles, current }: CandlesView, colors: Colors): SafeText {
  const status = current === undefined ? 'no live candle yet' : statusText(current.status, colors);
  return join(
    [
      text`${market}, candles of ${interval}: ${status}`,
      candleChart(candles, chartRows, colors),
      current === undefined ? '' : prices(current),
    ],
    '\n',
  );
}

/** The current candle. */
export function candleLine(candle: LiveCandle, colors: Colors): SafeText {
  const begin = text`candle of ${formatTime(candle.time)}`;
  return join([candle.market, statusText(candle.status, colors), begin, prices(candle)], '  ');
}

function prices({ open, high, low, close, volume }: Candle): SafeText {
  const parts = Object.entries({ open, high, low, close, volume: volume ?? '–' });
  return join(
    parts.map(([name, value]) => text`${name} ${formatAmount(value)}`),
    '  ',
  );
}
