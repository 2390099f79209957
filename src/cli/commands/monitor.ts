// `exchange-rx monitor`: health, balances and limits on one screen.
import { Command } from 'commander';
import {
  catchError,
  combineLatest,
  finalize,
  ignoreElements,
  map,
  of,
  sampleTime,
  tap,
  throwError,
  type Observable,
} from 'rxjs';
import { RequestError } from '../../errors/index.js';
import type { Exchange } from '../../exchange.js';
import type { RateLimitUsage } from '../../scheduler/index.js';
import { watchBalance, watchHealth, type BalanceUpdate, type Health } from '../../streams/index.js';
import { formatAmounts, type Report } from '../report.js';
import { draw, finishDrawing } from '../terminal.js';
import { framed, joined, shown, text, type Colors, type Part, type Text } from '../text.js';
import type { CommonOptions, Runner } from '../verb.js';
import { healthText, stateText } from './ping.js';

/** All there is to see. */
interface Sight {
  readonly health: Health;
  /** `undefined` without credentials. */
  readonly balance: BalanceUpdate | undefined;
  readonly usage: readonly RateLimitUsage[];
}

const drawEveryMs = 500;
/** What beside the names has room on a screen of 80. */
const cellColumns = 60;

export function monitorCommand({ run }: Runner): Command {
  return new Command('monitor')
    .description('watch health, balances and limits on one screen, until Ctrl-C')
    .addHelpText(
      'after',
      '\nExamples:\n  $ exchange-rx monitor --sandbox\n  $ exchange-rx monitor --json | jq .health.state',
    )
    .action((_options: object, command: Command) =>
      run(command, ({ exchange, terminal }) => {
        const { json = false } = command.optsWithGlobals<CommonOptions>();
        const { colors } = terminal;
        const sights$ = watch(exchange).pipe(sampleTime(drawEveryMs));
        if (json || !terminal.canRedraw)
          return sights$.pipe(map((sight): Report => ({ text: line(sight, colors), data: sight })));
        return sights$.pipe(
          tap((sight) => {
            draw(screen(sight, colors));
          }),
          finalize(() => {
            finishDrawing();
          }),
          ignoreElements(),
        );
      }),
    );
}

function watch(exchange: Exchange): Observable<Sight> {
  return combineLatest({
    health: watchHealth(exchange),
    balance: watchBalance(exchange).pipe(catchError(withoutCredentials)),
    usage: exchange.scheduler.usage$,
  });
}

function withoutCredentials(error: unknown): Observable<undefined> {
  return error instanceof RequestError ? of(undefined) : throwError(() => error);
}

function line({ health, balance, usage }: Sight, colors: Colors): Text {
  const limits = usage.map((group) => text`${group.rateLimit} ${share(group)}`);
  return joined([healthText(health, colors), balanceText(balance, colors), joined(limits, ', ')], '  |  ');
}

function screen({ health, balance, usage }: Sight, colors: Colors): Text {
  const rows: Part[][] = [
    ['health', stateText(health, colors)],
    ...(health.error === undefined ? [] : [['last error', shown(health.error.message, cellColumns)]]),
    ['since', new Date(health.since).toTimeString().slice(0, 'hh:mm:ss'.length)],
    ['main balance', balanceText(balance, colors, cellColumns)],
    ...usage.map((group) => [group.rateLimit, gauge(group, colors)]),
  ];
  return text`${framed(['exchange-rx', ''], rows)}\nCtrl-C stops`;
}

function balanceText(balance: BalanceUpdate | undefined, colors: Colors, columns?: number): Text {
  if (balance === undefined) return text`no credentials`;
  const known = balance.readAt === undefined ? text`not read yet` : formatAmounts(balance.balance, columns);
  return balance.error === undefined ? known : text`${known} ${colors.yellow(text`(stale: ${balance.error.kind})`)}`;
}

const gaugeWidth = 20;
const tight = 0.8;

function gauge(group: RateLimitUsage, colors: Colors): Text {
  const used = Math.min(1, group.used / group.limit);
  const filled = Math.round(used * gaugeWidth);
  const paint = group.coolDownUntil !== undefined ? colors.red : used > tight ? colors.yellow : colors.green;
  const queued = Object.values(group.queued).reduce((sum, count) => sum + count, 0);
  const closed = group.coolDownUntil === undefined ? '' : colors.red(text`  closed after 429`);
  const bar = text`${paint('█'.repeat(filled))}${'░'.repeat(gaugeWidth - filled)}`;
  return text`${bar} ${share(group)} of ${group.limit}/${group.windowMs / 1000} s, ${group.ratePerSecond}/s, ${queued} waiting${closed}`;
}

function share({ used, limit }: RateLimitUsage): string {
  return `${((used / limit) * 100).toFixed(0)} %`;
}
