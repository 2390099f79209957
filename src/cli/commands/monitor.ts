// `exchange-rx monitor`: health, balance and rate limits on one screen.
import { Command } from 'commander';
import { catchError, combineLatest, map, of, sampleTime, throwError, type Observable } from 'rxjs';
import { RequestError } from '../../errors/index.js';
import type { Exchange } from '../../exchange.js';
import type { RateLimitUsage } from '../../scheduler/index.js';
import { watchBalance, watchHealth, type BalanceUpdate, type Health } from '../../streams/index.js';
import type { Runner } from '../runner.js';
import {
  escape,
  formatBalance,
  formatColumns,
  join,
  text,
  type Colors,
  type Output,
  type SafeText,
  type TextPart,
} from '../terminal/index.js';
import { healthLine, healthState, latencies } from './ping.js';

interface Snapshot {
  readonly health: Health;
  readonly balance: BalanceUpdate | undefined;
  readonly usage: readonly RateLimitUsage[];
}

const printEveryMs = 500;
/** Width of the value column: beside the longest name of a rate limit, the table fits on 80 columns. */
const valueColumns = 47;

const examples = `
Examples:
  $ exchange-rx monitor --sandbox
  $ exchange-rx monitor --json | jq .health.state`;

export function monitorCommand({ run }: Runner): Command {
  return new Command('monitor')
    .description('show health, balance and rate limits on one screen, until Ctrl-C')
    .addHelpText('after', examples)
    .action((_options: object, command: Command) =>
      run(command, ({ exchange, terminal, json }) => {
        const { colors } = terminal;
        const snapshots$ = watch(exchange).pipe(sampleTime(printEveryMs));
        if (json || !terminal.canRedraw)
          return snapshots$.pipe(map((snapshot): Output => ({ text: formatLine(snapshot, colors), data: snapshot })));
        return terminal.drawEach(snapshots$.pipe(map((snapshot) => formatScreen(snapshot, colors))));
      }),
    );
}

function watch(exchange: Exchange): Observable<Snapshot> {
  return combineLatest({
    health: watchHealth(exchange),
    balance: watchBalance(exchange).pipe(catchError(undefinedWithoutCredentials)),
    usage: exchange.scheduler.usage$,
  });
}

function undefinedWithoutCredentials(error: unknown): Observable<undefined> {
  return error instanceof RequestError ? of(undefined) : throwError(() => error);
}

function formatLine({ health, balance, usage }: Snapshot, colors: Colors): SafeText {
  const limits = usage.map((limit) => text`${limit.rateLimit} ${formatShare(limit)}`);
  return join([healthLine(health, colors), balanceText(balance, colors), join(limits, ', ')], '  |  ');
}

function formatScreen({ health, balance, usage }: Snapshot, colors: Colors): SafeText {
  const rows: TextPart[][] = [
    ['health', healthState(health, colors)],
    ['latency', latencies(health)],
    ...(health.error === undefined ? [] : [['last error', escape(health.error.message, valueColumns)]]),
    ['since', new Date(health.since).toTimeString().slice(0, 'hh:mm:ss'.length)],
    ['main balance', balanceText(balance, colors, valueColumns)],
    ...usage.flatMap((limit) => [[limit.rateLimit, gauge(limit, colors)], ...coolDownRow(limit, colors)]),
  ];
  return text`${formatColumns(['exchange-rx', ''], rows)}\nCtrl-C to stop`;
}

function balanceText(balance: BalanceUpdate | undefined, colors: Colors, maxColumns?: number): SafeText {
  if (balance === undefined) return text`no credentials`;
  const amounts = balance.readAt === undefined ? text`not read yet` : formatBalance(balance.balance, maxColumns);
  return balance.error === undefined
    ? amounts
    : text`${amounts} ${colors.yellow(text`(stale: ${balance.error.kind})`)}`;
}

const gaugeWidth = 8;
const highShare = 0.8;

function gauge(usage: RateLimitUsage, colors: Colors): SafeText {
  const { limit, windowMs, coolDownUntil } = usage;
  const used = Math.min(1, usage.used / limit);
  const filled = Math.round(used * gaugeWidth);
  const paint = coolDownUntil !== undefined ? colors.red : used > highShare ? colors.yellow : colors.green;
  const queued = Object.values(usage.queued).reduce((sum, count) => sum + count, 0);
  const bar = text`${paint('█'.repeat(filled))}${'░'.repeat(gaugeWidth - filled)}`;
  return text`${bar} ${formatShare(usage)} of ${limit}/${windowMs / 1000} s, ${queued} queued`;
}

function coolDownRow({ coolDownUntil }: RateLimitUsage, colors: Colors): TextPart[][] {
  return coolDownUntil === undefined ? [] : [['', colors.red(text`cooling down after a 429`)]];
}

function formatShare({ used, limit }: RateLimitUsage): string {
  return `${((used / limit) * 100).toFixed(0)} %`;
}
