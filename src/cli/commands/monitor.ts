// `exchange-rx monitor`: health, balances and limits on one screen.
import { Command } from 'commander';
import logUpdate from 'log-update';
import { catchError, combineLatest, finalize, ignoreElements, map, of, sampleTime, tap, throwError, type Observable } from 'rxjs';
import { RequestError } from '../../errors.js';
import type { Exchange } from '../../exchange.js';
import type { GroupUsage } from '../../scheduler/index.js';
import { watchBalance, watchHealth, type BalanceUpdate, type Health } from '../../streams/index.js';
import { framed, type Colors, type Report } from '../report.js';
import type { CommonOptions, Runner } from '../verb.js';
import { healthText } from './ping.js';

/** All there is to see. */
interface Sight {
  readonly health: Health;
  /** `undefined` without credentials. */
  readonly balance: BalanceUpdate | undefined;
  readonly usage: readonly GroupUsage[];
}

const drawEveryMs = 500;

export function monitorCommand({ run }: Runner): Command {
  return new Command('monitor')
    .description('watch health, balances and limits on one screen, until Ctrl-C')
    .addHelpText('after', '\nExamples:\n  $ exchange-rx monitor --sandbox\n  $ exchange-rx monitor --json | jq .health.state')
    .action((_options: object, command: Command) =>
      run(command, ({ exchange, terminal }) => {
        const { json = false } = command.optsWithGlobals<CommonOptions>();
        const { colors } = terminal;
        const sights$ = watch(exchange).pipe(sampleTime(drawEveryMs));
        if (json || !terminal.canRedraw) return sights$.pipe(map((sight): Report => ({ text: line(sight, colors), data: sight })));
        return sights$.pipe(
          tap((sight) => {
            logUpdate(screen(sight, colors));
          }),
          finalize(() => {
            logUpdate.done();
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

function line({ health, balance, usage }: Sight, colors: Colors): string {
  const limits = usage.map((group) => `${group.group} ${share(group)}`);
  return [healthText(health, colors), balanceText(balance, colors), limits.join(', ')].join('  |  ');
}

function screen({ health, balance, usage }: Sight, colors: Colors): string {
  const rows = [
    ['health', healthText(health, colors)],
    ['since', new Date(health.since).toLocaleTimeString()],
    ['main balance', balanceText(balance, colors)],
    ...usage.map((group) => [group.group, gauge(group, colors)]),
  ];
  return `${framed(['exchange-rx', ''], rows)}\nCtrl-C stops`;
}

function balanceText(balance: BalanceUpdate | undefined, colors: Colors): string {
  if (balance === undefined) return 'no credentials';
  const assets = Object.entries(balance.balance).map(([asset, { main_balance }]) => `${main_balance} ${asset}`);
  const known = balance.readAt === undefined ? 'not read yet' : assets.join(', ') || 'nothing';
  return balance.error === undefined ? known : `${known} ${colors.yellow(`(stale: ${balance.error.kind})`)}`;
}

const gaugeWidth = 20;
const tight = 0.8;

function gauge(group: GroupUsage, colors: Colors): string {
  const used = Math.min(1, group.used / group.limit);
  const filled = Math.round(used * gaugeWidth);
  const paint = group.closedUntil !== undefined ? colors.red : used > tight ? colors.yellow : colors.green;
  const queued = Object.values(group.queued).reduce((sum, count) => sum + count, 0);
  const closed = group.closedUntil === undefined ? '' : colors.red('  closed after 429');
  const bar = `${paint('█'.repeat(filled))}${'░'.repeat(gaugeWidth - filled)}`;
  return `${bar} ${share(group)} of ${group.limit}/${group.windowMs / 1000} s, ${group.ratePerSecond}/s, ${queued} waiting${closed}`;
}

function share({ used, limit }: GroupUsage): string {
  return `${((used / limit) * 100).toFixed(0)} %`;
}
