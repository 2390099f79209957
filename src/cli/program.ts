// The command's verbs and what they have in common.
import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { balanceCommand } from './commands/balance.js';
import { dashboardCommand } from './commands/dashboard.js';
import { leverageCommand } from './commands/leverage.js';
import { miningAccountsCommand, subAccountsCommand } from './commands/lists.js';
import { marketsCommand } from './commands/markets.js';
import { monitorCommand } from './commands/monitor.js';
import { orderCommand } from './commands/order.js';
import { pingCommand } from './commands/ping.js';
import { sandboxCommand } from './commands/sandbox.js';
import { shownLines } from './text.js';
import type { Runner } from './verb.js';

const more = `
Credentials come from EXCHANGE_API_KEY and EXCHANGE_API_SECRET, or from a file that only you can read
({"baseUrl": …, "apiKey": …, "apiSecret": …}): --credentials-file, EXCHANGE_CREDENTIALS_FILE, or
~/.config/exchange-rx/credentials.json. Never from arguments: others can see those.

Exit codes: 0 done; 1 failed, no order was placed; 2 bad arguments, nothing was sent; 3 credentials;
4 the exchange refused; 5 an order whose outcome is not known; 130 Ctrl-C.

Examples:
  $ exchange-rx ping --sandbox
  $ EXCHANGE_BASE_URL=https://exchange.example exchange-rx markets BTC_USDT
  $ exchange-rx order stock-market BTC_USDT buy 0.01 --dry-run
  $ exchange-rx dashboard`;

/** The whole command. */
export function createProgram(runner: Runner): Command {
  const program = new Command('exchange-rx')
    .description('The exchange, from the terminal.')
    .version(ownVersion())
    .option('--json', 'write lines of JSON')
    .option('--sandbox', 'use an embedded exchange of its own: play money')
    .option('--base-url <url>', 'the exchange; default: EXCHANGE_BASE_URL')
    .option('--credentials-file <path>', 'where the key is')
    .addHelpText('after', more);
  // What follows an option that there is none of may be a key: it is not repeated.
  program.configureOutput({
    outputError: (text, write) => {
      write(shownLines(text.replace(/(unknown option '(?:--[a-z-]*|-[a-z]?))[^\n]*(?=')/i, '$1')));
    },
  });
  const verbs = [
    pingCommand,
    balanceCommand,
    marketsCommand,
    orderCommand,
    leverageCommand,
    subAccountsCommand,
    miningAccountsCommand,
    monitorCommand,
    dashboardCommand,
    sandboxCommand,
  ];
  for (const verb of verbs) program.addCommand(verb(runner));
  inheritSettings(program.exitOverride().showHelpAfterError('(add --help for the whole of it)'));
  return program;
}

function inheritSettings(command: Command): void {
  for (const child of command.commands) inheritSettings(child.copyInheritedSettings(command));
}

function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return v.parse(v.pipe(v.string(), v.parseJson(), v.object({ version: v.string() })), text).version;
}
