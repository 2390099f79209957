// What the demo shows while it runs: a table and a sparkline that update in place on a terminal, a plain line a second
// elsewhere.
import { sampleTime, type Observable, type Subscription } from 'rxjs';
import sparkly from 'sparkly';
import type { BalanceUpdate, Health } from '../../streams/index.js';
import { formatAmounts, formatMs } from '../report.js';
import { draw, finishDrawing, writeLine } from '../terminal.js';
import { framed, joined, text, type Part, type Text } from '../text.js';
import { percentile, type WireStatistics } from './statistics.js';
import type { BotState } from './strategy.js';

/** All there is to show. */
export interface Picture {
  readonly health: Health;
  readonly balance: BalanceUpdate;
  readonly statistics: WireStatistics;
  /** Absent where there is no bot. */
  readonly bot?: BotState;
}

const sparklineWidth = 60;
const drawEveryMs = 200;
const lineEveryMs = 1000;
/** What beside the names has room on a screen of 80. */
const cellColumns = 60;

/** Shows the pictures as they come, on the standard output; teardown leaves the last one standing. */
export function show(pictures$: Observable<Picture>): Subscription {
  const isTerminal = process.stdout.isTTY && process.env['TERM'] !== 'dumb';
  if (!isTerminal) {
    return pictures$.pipe(sampleTime(lineEveryMs)).subscribe((picture) => {
      writeLine(line(picture));
    });
  }
  const drawing = pictures$.pipe(sampleTime(drawEveryMs)).subscribe((picture) => {
    draw(screen(picture));
  });
  drawing.add(finishDrawing);
  return drawing;
}

function line({ health, balance, statistics, bot }: Picture): Text {
  const parts = [
    text`health ${health.state}`,
    text`ping ${formatMs(health.latency.lastMs)}`,
    text`p50 ${formatMs(percentile(statistics.latencies, 0.5))}`,
    ...(bot === undefined
      ? []
      : [text`trades ${bot.trades.length}`, text`last price ${bot.prices.at(-1)?.toFixed(2) ?? '–'}`]),
    text`retried ${statistics.retried}`,
    text`main balance ${balanceText(balance)}`,
  ];
  return joined(parts, '  ');
}

function screen({ health, balance, statistics, bot }: Picture): Text {
  const rows: Part[][] = [
    ['health', `${health.state}${health.reason === undefined ? '' : ` (${health.reason})`}`],
    ['ping', formatMs(health.latency.lastMs)],
    [
      'latency p50 / p99',
      `${formatMs(percentile(statistics.latencies, 0.5))} / ${formatMs(percentile(statistics.latencies, 0.99))}`,
    ],
    ['requests', String(Object.values(statistics.requests).reduce((sum, count) => sum + count, 0))],
    ['repeated', String(statistics.retried)],
    ['main balance', balanceText(balance, cellColumns)],
    ...(bot === undefined
      ? []
      : [
          ['trades', String(bot.trades.length)],
          ['last price', bot.prices.at(-1)?.toFixed(2) ?? '–'],
        ]),
  ];
  const curve = (bot?.prices ?? statistics.latencies).slice(-sparklineWidth);
  return joined(
    [
      framed(['exchange-rx', ''], rows),
      text`${bot === undefined ? 'latency' : 'price'} ${sparkly([...curve])}`,
      'Ctrl-C stops',
    ],
    '\n',
  );
}

function balanceText({ balance, stale }: BalanceUpdate, columns?: number): Text {
  return text`${formatAmounts(balance, columns)}${stale ? text` (stale)` : ''}`;
}
