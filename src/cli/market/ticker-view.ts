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

type Field = readonly [name: string, cellOf: (row: TickerRow, colors: Colors) => TextPart];

const amounts = (...names: ('last' | 'bid' | 'ask' | 'high' | 'low' | 'volume')[]) =>
  names.map((name): Field => [name, (row) => amountText(row[name])]);
const fields = [...amounts('last', 'bid', 'ask'), ['24 h', changeText] as Field, ...amounts('high', 'low', 'volume')];

export function tickerTable(rows: readonly TickerRow[], colors: Colors): SafeText {
  const status: Field = ['status', (row) => statusText(row.status, colors)];
  return formatColumns(
    ['', ...rows.map(({ market }) => market)],
    [status, ...fields].map(([name, cellOf]) => [name, ...rows.map((row) => cellOf(row, colors))]),
  );
}

export function tickerLine(row: TickerRow, colors: Colors): SafeText {
  const named = fields.map(([name, cellOf]) => text`${name} ${cellOf(row, colors)}`);
  return join([row.market, statusText(row.status, colors), ...named], '  ');
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
