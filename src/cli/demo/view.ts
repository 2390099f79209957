// What the demo shows while it runs: a table and a sparkline that update in place on a terminal, a plain line a second elsewhere.
import logUpdate from 'log-update';
import { sampleTime, type Observable, type Subscription } from 'rxjs';
import sparkly from 'sparkly';
import type { BalanceUpdate, Health } from '../../streams/index.js';
import { formatMs, framed } from '../report.js';
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

/** Shows the pictures as they come, on the standard output; teardown leaves the last one standing. */
export function show(pictures$: Observable<Picture>): Subscription {
  const isTerminal = process.stdout.isTTY && process.env['TERM'] !== 'dumb';
  if (!isTerminal) {
    return pictures$.pipe(sampleTime(lineEveryMs)).subscribe((picture) => {
      console.log(line(picture));
    });
  }
  const drawing = pictures$.pipe(sampleTime(drawEveryMs)).subscribe((picture) => {
    logUpdate(draw(picture));
  });
  drawing.add(() => {
    logUpdate.done();
  });
  return drawing;
}

function line({ health, balance, statistics, bot }: Picture): string {
  const parts = [
    `health ${health.state}`,
    `ping ${formatMs(health.latency.lastMs)}`,
    `p50 ${formatMs(percentile(statistics.latencies, 0.5))}`,
    ...(bot === undefined ? [] : [`trades ${bot.trades.length}`, `last price ${bot.prices.at(-1)?.toFixed(2) ?? '–'}`]),
    `retried ${statistics.retried}`,
    `main balance ${balanceText(balance)}`,
  ];
  return parts.join('  ');
}

function draw({ health, balance, statistics, bot }: Picture): string {
  const rows = [
    ['health', `${health.state}${health.reason === undefined ? '' : ` (${health.reason})`}`],
    ['ping', formatMs(health.latency.lastMs)],
    ['latency p50 / p99', `${formatMs(percentile(statistics.latencies, 0.5))} / ${formatMs(percentile(statistics.latencies, 0.99))}`],
    ['requests', String(Object.values(statistics.requests).reduce((sum, count) => sum + count, 0))],
    ['repeated', String(statistics.retried)],
    ['main balance', balanceText(balance)],
    ...(bot === undefined ? [] : [['trades', String(bot.trades.length)], ['last price', bot.prices.at(-1)?.toFixed(2) ?? '–']]),
  ];
  const curve = (bot?.prices ?? statistics.latencies).slice(-sparklineWidth);
  return [framed(['exchange-rx', ''], rows), `${bot === undefined ? 'latency' : 'price'} ${sparkly([...curve])}`, 'Ctrl-C stops'].join('\n');
}

function balanceText({ balance, stale }: BalanceUpdate): string {
  const assets = Object.entries(balance).map(([asset, { main_balance }]) => `${main_balance} ${asset}`);
  return `${assets.join(', ')}${stale ? ' (stale)' : ''}`;
}
