// The live view of the demo: on a terminal a screen of at most 80 by 24 characters that updates in place, with an order
// book; elsewhere one line per second.
import { map, sampleTime, type Observable, type Subscription } from 'rxjs';
import type { LiveOrderBook } from '../../live/index.js';
import type { BalanceUpdate, Health } from '../../streams/index.js';
import { bookTable } from '../market/book-view.js';
import {
  formatBalance,
  formatColumns,
  formatMs,
  join,
  text,
  type Colors,
  type SafeText,
  type Terminal,
  type TextPart,
} from '../terminal/index.js';
import { market, type BotState } from './bot.js';
import { percentile, type RequestStatistics } from './request-statistics.js';

export interface View {
  readonly health: Health;
  readonly balance: BalanceUpdate;
  readonly statistics: RequestStatistics;
  readonly book: LiveOrderBook | undefined;
  readonly bot: BotState;
}

const drawEveryMs = 200;
const lineEveryMs = 1000;
/** Width of the value column, so that the table fits on 80 columns. */
const valueColumns = 60;

export function show(terminal: Terminal, views$: Observable<View>): Subscription {
  if (!terminal.canRedraw) {
    return views$.pipe(sampleTime(lineEveryMs)).subscribe((view) => {
      terminal.writeLine(formatLine(view));
    });
  }
  const screens$ = views$.pipe(
    sampleTime(drawEveryMs),
    map((view) => formatScreen(view, terminal.colors)),
  );
  return terminal.drawEach(screens$).subscribe();
}

function formatLine({ health, balance, statistics, book, bot }: View): SafeText {
  const parts = [
    text`health ${health.state}`,
    text`ping ${formatMs(health.latency.lastMs)}`,
    text`p50 ${formatMs(percentile(statistics.latencies, 0.5))}`,
    text`trades ${bot.trades.length}`,
    text`last price ${priceText(bot)}`,
    text`bid ${bestText(book, 'bids')}`,
    text`ask ${bestText(book, 'asks')}`,
    text`retries ${statistics.retried}`,
    text`main balance ${balanceText(balance)}`,
  ];
  return join(parts, '  ');
}

export function formatScreen({ health, balance, statistics, book, bot }: View, colors: Colors): SafeText {
  const requests = Object.values(statistics.requests).reduce((sum, count) => sum + count, 0);
  const [p50, p99] = [percentile(statistics.latencies, 0.5), percentile(statistics.latencies, 0.99)];
  const rows: TextPart[][] = [
    ['health', `${health.state}${health.reason === undefined ? '' : ` (${health.reason})`}`],
    ['ping', `${formatMs(health.latency.lastMs)}, all requests p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`],
    ['requests', `${requests}, retries ${statistics.retried}`],
    ['main balance', balanceText(balance, valueColumns)],
    ['trades', `${bot.trades.length}, last price ${priceText(bot)}`],
  ];
  return join(
    [formatColumns(['exchange-rx', 'Ctrl-C to stop'], rows), '', text`${market}`, bookTable(book, colors)],
    '\n',
  );
}

function bestText(book: LiveOrderBook | undefined, side: 'asks' | 'bids'): string {
  return book?.status === 'stale' ? 'unknown' : (book?.[side][0]?.[0] ?? '–');
}

function priceText({ prices }: BotState): string {
  return prices.at(-1)?.toFixed(2) ?? '–';
}

function balanceText({ balance, stale }: BalanceUpdate, maxColumns?: number): SafeText {
  return text`${formatBalance(balance, maxColumns)}${stale ? text` (stale)` : ''}`;
}
