// The live view of the demo: on a terminal a table and a sparkline that update in place, elsewhere one line per second.
import { sampleTime, type Observable, type Subscription } from 'rxjs';
import sparkly from 'sparkly';
import type { BalanceUpdate, Health } from '../../streams/index.js';
import {
  formatBalance,
  formatMs,
  formatTable,
  join,
  text,
  type SafeText,
  type Terminal,
  type TextPart,
} from '../terminal/index.js';
import type { BotState } from './bot.js';
import { percentile, type RequestStatistics } from './request-statistics.js';

export interface View {
  readonly health: Health;
  readonly balance: BalanceUpdate;
  readonly statistics: RequestStatistics;
  /** Absent in the read-only demo. */
  readonly bot?: BotState;
}

const sparklineWidth = 60;
const drawEveryMs = 200;
const lineEveryMs = 1000;
/** Width of the value column, so that the table fits on 80 columns. */
const valueColumns = 60;

/** Shows each view on the terminal; unsubscribing keeps the last one on the screen. */
export function show(terminal: Terminal, views$: Observable<View>): Subscription {
  if (!terminal.canRedraw) {
    return views$.pipe(sampleTime(lineEveryMs)).subscribe((view) => {
      terminal.writeLine(formatLine(view));
    });
  }
  const drawing = views$.pipe(sampleTime(drawEveryMs)).subscribe((view) => {
    terminal.draw(formatScreen(view));
  });
  drawing.add(() => {
    terminal.finishDrawing();
  });
  return drawing;
}

function formatLine({ health, balance, statistics, bot }: View): SafeText {
  const parts = [
    text`health ${health.state}`,
    text`ping ${formatMs(health.latency.lastMs)}`,
    text`p50 ${formatMs(percentile(statistics.latencies, 0.5))}`,
    ...(bot === undefined
      ? []
      : [text`trades ${bot.trades.length}`, text`last price ${bot.prices.at(-1)?.toFixed(2) ?? '–'}`]),
    text`retries ${statistics.retried}`,
    text`main balance ${balanceText(balance)}`,
  ];
  return join(parts, '  ');
}

function formatScreen({ health, balance, statistics, bot }: View): SafeText {
  const rows: TextPart[][] = [
    ['health', `${health.state}${health.reason === undefined ? '' : ` (${health.reason})`}`],
    ['ping', formatMs(health.latency.lastMs)],
    [
      'latency p50 / p99',
      `${formatMs(percentile(statistics.latencies, 0.5))} / ${formatMs(percentile(statistics.latencies, 0.99))}`,
    ],
    ['requests', String(Object.values(statistics.requests).reduce((sum, count) => sum + count, 0))],
    ['retries', String(statistics.retried)],
    ['main balance', balanceText(balance, valueColumns)],
    ...(bot === undefined
      ? []
      : [
          ['trades', String(bot.trades.length)],
          ['last price', bot.prices.at(-1)?.toFixed(2) ?? '–'],
        ]),
  ];
  const points = (bot?.prices ?? statistics.latencies).slice(-sparklineWidth);
  return join(
    [
      formatTable(['exchange-rx', ''], rows),
      text`${bot === undefined ? 'latency' : 'price'} ${sparkly([...points])}`,
      'Ctrl-C to stop',
    ],
    '\n',
  );
}

function balanceText({ balance, stale }: BalanceUpdate, maxColumns?: number): SafeText {
  return text`${formatBalance(balance, maxColumns)}${stale ? text` (stale)` : ''}`;
}
