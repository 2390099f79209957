// The command `exchange-rx`: its verbs and the options that all of them share.
import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { balanceCommand } from './commands/balance.js';
import { dashboardCommand } from './commands/dashboard.js';
import { dealsCommand } from './commands/deals.js';
import { bookCommand, candlesCommand, tickersCommand } from './commands/market-data.js';
import { marketsCommand } from './commands/markets.js';
import { monitorCommand } from './commands/monitor.js';
import { orderCommand } from './commands/order.js';
import { ordersCommand } from './commands/orders.js';
import { pingCommand } from './commands/ping.js';
import { positionsCommand } from './commands/positions.js';
import { recordCommand } from './commands/record.js';
import { sandboxCommand } from './commands/sandbox.js';
import { watchCommand } from './commands/watch.js';
import { withdrawCommand } from './commands/withdraw.js';
import { depositAddressCommand, historyCommand, transferCommand } from './commands/wallets.js';
import { completeCommand, completionCommand } from './completion.js';
import { exitCodeOf, exitCodes, Interrupted, type ExitCode } from './exit-codes.js';
import { createRunner, type Runner } from './runner.js';
import { createTerminal, describeError, type HostProcess } from './terminal/index.js';

const help = `
Credentials: EXCHANGE_API_KEY and EXCHANGE_API_SECRET, or a JSON file that only you can read:
{"baseUrl": "…", "apiKey": "…", "apiSecret": "…"}, named by --credentials-file or
EXCHANGE_CREDENTIALS_FILE, by default ~/.config/exchange-rx/credentials.json.
There is no option for a key: other users of the machine can read arguments.

Exit codes:
  0    done
  1    failed, and nothing was changed
  2    invalid arguments, nothing was sent
  3    credentials are missing, unsafe, or not accepted
  4    the exchange rejected the request
  5    the outcome of an order or another change is unknown: look an order up with "order find"
  130  Ctrl-C

Examples:
  $ exchange-rx ping --sandbox
  $ EXCHANGE_BASE_URL=https://exchange.example exchange-rx markets BTC_USDT
  $ exchange-rx order stock-market BTC_USDT buy 0.01 --dry-run
  $ exchange-rx dashboard`;

export async function run(args: readonly string[], host: HostProcess): Promise<ExitCode> {
  const terminal = createTerminal(host);
  try {
    await createProgram(createRunner(terminal, host.env), terminal.usage).parseAsync(args, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    if (!(error instanceof Interrupted)) terminal.log(terminal.colors.red(describeError(error)));
    return exitCodeOf(error);
  }
}

const verbs = [
  pingCommand,
  balanceCommand,
  marketsCommand,
  tickersCommand,
  bookCommand,
  candlesCommand,
  orderCommand,
  ordersCommand,
  dealsCommand,
  positionsCommand,
  transferCommand,
  depositAddressCommand,
  withdrawCommand,
  historyCommand,
  watchCommand,
  monitorCommand,
  dashboardCommand,
  recordCommand,
  sandboxCommand,
  completionCommand,
];

export function createProgram(runner: Runner, output: OutputConfiguration = {}): Command {
  const program = new Command('exchange-rx')
    .description('The exchange from the terminal: balances, markets, orders, positions, a dashboard and a sandbox.')
    .version(packageVersion())
    .option('--json', 'write JSON, one line per result')
    .option('--sandbox', 'use an embedded exchange with play money')
    .option('--base-url <url>', 'base URL of the exchange (default: EXCHANGE_BASE_URL)')
    .option('--credentials-file <path>', 'JSON file with the API key')
    .option('--proxy <url>', 'HTTP proxy, or "environment" for that of HTTPS_PROXY')
    .addHelpText('after', help)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(output);
  for (const verb of verbs) program.addCommand(verb(runner));
  program.addCommand(completeCommand(runner), { hidden: true });
  copySettings(program.exitOverride().showHelpAfterError('(--help lists the arguments and options)'));
  return program;
}

/** Gives every verb the settings of its parent, which `addCommand` does not. */
function copySettings(command: Command): void {
  for (const child of command.commands) copySettings(child.copyInheritedSettings(command));
}

function packageVersion(): string {
  const content = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return v.parse(v.pipe(v.string(), v.parseJson(), v.object({ version: v.string() })), content).version;
}
