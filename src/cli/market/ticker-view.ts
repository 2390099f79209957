// The prices of a market, put together from two channels: the statistics of 24 hours, and the best bid and ask.
import { combineLatest, filter, map, startWith, type Observable } from 'rxjs';
import type { BookTicker, Live, LiveStatus, MarketStatistics } from '../../live/index.js';
import {
  formatAmount,
  formatColumns,
  join,
  text,
  type Colors,
  type SafeText,
  type TextPart,
} from '../terminal/index.js';
import { statusText } from './live-status.js';

/** What is known of a market's prices; the fields of a channel are absent until it has pushed. */
export interface TickerRow extends LiveStatus, Partial<MarketStatistics>, Partial<BookTicker> {}

/** The prices of a market, at each change. They are live while both channels are. */
export function tickerRows(live: Live, market: string): Observable<TickerRow> {
  const params = { markets: [market] };
  return combineLatest([
    live.ticker(params).pipe(startWith(undefined)),
    live.bookTicker(params).pipe(startWith(undefined)),
  ]).pipe(
    map((values) => rowOf(market, ...values)),
    filter((row) => row !== undefined),
  );
}

function rowOf(
  market: string,
  statistics: (MarketStatistics & LiveStatus) | undefined,
  best: (BookTicker & LiveStatus) | undefined,
): TickerRow | undefined {
  if (statistics === undefined && best === undefined) return undefined;
  const isStale = statistics?.status === 'stale' || best?.status === 'stale';
  return {
    ...statistics,
    ...best,
    market,
    status: isStale ? 'stale' : 'live',
    receivedAt: Math.max(statistics?.receivedAt ?? 0, best?.receivedAt ?? 0),
  };
}

export function tickerTable(rows: readonly TickerRow[], colors: Colors): SafeText {
  const cells: readonly [name: string, cellOf: (row: TickerRow) => TextPart][] = [
    ['status', ({ status }) => statusText(status, colors)],
    ['last', ({ last }) => amountText(last)],
    ['bid', ({ bid }) => amountText(bid)],
    ['ask', ({ ask }) => amountText(ask)],
    ['24 h', (row) => changeText(row, colors)],
    ['high', ({ high }) => amountText(high)],
    ['low', ({ low }) => amountText(low)],
    ['volume', ({ volume }) => amountText(volume)],
  ];
  return formatColumns(
    ['', ...rows.map(({ market }) => market)],
    cells.map(([name, cellOf]) => [name, ...rows.map(cellOf)]),
  );
}

export function tickerLine(row: TickerRow, colors: Colors): SafeText {
  const parts = [
    row.market,
    statusText(row.status, colors),
    text`last ${amountText(row.last)}`,
    text`bid ${amountText(row.bid)}`,
    text`ask ${amountText(row.ask)}`,
    text`24 h ${changeText(row, colors)}`,
    text`high ${amountText(row.high)}`,
    text`low ${amountText(row.low)}`,
    text`volume ${amountText(row.volume)}`,
  ];
  return join(parts, '  ');
}

const maxAmountLength = 16;

function amountText(amount: string | undefined): string {
  return amount === undefined ? '–' : formatAmount(amount, maxAmountLength);
}

export function changeText({ last, open }: Pick<TickerRow, 'last' | 'open'>, { red, green }: Colors): SafeText {
  const share = (Number(last) / Number(open) - 1) * 100;
  if (!Number.isFinite(share)) return text`–`;
  const written = `${share < 0 ? '' : '+'}${share.toFixed(2)} %`;
  return share < 0 ? red(written) : green(written);
}
