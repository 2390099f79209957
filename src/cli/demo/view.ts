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

function formatLine(view: View): SafeText {
  const { book } = view;
  const best = (side: 'asks' | 'bids') => (book?.status === 'stale' ? 'unknown' : (book?.[side][0]?.[0] ?? '–'));
  const facts = [...factsOf(view), ['bid', best('bids')] as const, ['ask', best('asks')] as const];
  return join(
    facts.map(([name, value]) => text`${name} ${value}`),
    '  ',
  );
}

export function formatScreen(view: View, colors: Colors): SafeText {
  const facts = formatColumns(['exchange-rx', 'Ctrl-C to stop'], factsOf(view, valueColumns));
  return join([facts, '', market, bookTable(view.book, colors)], '\n');
}

function factsOf(
  { health, balance, statistics, bot }: View,
  maxColumns?: number,
): (readonly [name: string, value: TextPart])[] {
  const { requests, retried, latencies } = statistics;
  const count = Object.values(requests).reduce((sum, one) => sum + one, 0);
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  return [
    ['health', `${health.state}${health.reason === undefined ? '' : ` (${health.reason})`}`],
    ['ping', `${formatMs(health.latency.lastMs)}, all requests p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`],
    ['requests', `${count}, retries ${retried}`],
    ['main balance', text`${formatBalance(balance.balance, maxColumns)}${balance.stale ? text` (stale)` : ''}`],
    ['trades', `${bot.trades.length}, last price ${bot.prices.at(-1)?.toFixed(2) ?? '–'}`],
  ];
}
