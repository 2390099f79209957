// `exchange-rx balance`: the balance of the main account.
import { Command } from 'commander';
import { distinctUntilChanged, map, type Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import type { Balance } from '../../model/balances.js';
import { watchBalance, type BalanceUpdate } from '../../streams/index.js';
import { intervalOption } from '../option-parsers.js';
import type { Runner } from '../runner.js';
import { formatAmount, formatColumns, join, text, type Colors, type Output, type SafeText } from '../terminal/index.js';

const examples = `
Examples:
  $ exchange-rx balance --sandbox
  $ exchange-rx balance --json | jq -r .BTC.main_balance
  $ exchange-rx balance --watch`;

export function balanceCommand({ run }: Runner): Command {
  return new Command('balance')
    .description('show the balance of the main account')
    .option('-w, --watch', 'poll until Ctrl-C and print each change')
    .addOption(intervalOption(5000))
    .addHelpText('after', examples)
    .action(({ watch, interval }: { watch?: boolean; interval: number }, command: Command) =>
      run(command, ({ exchange, terminal }) =>
        watch === true ? watchChanges(exchange, interval, terminal.colors) : readOnce(exchange),
      ),
    );
}

function readOnce(exchange: Exchange): Observable<Output> {
  return exchange.account.mainBalance().pipe(map((balance) => ({ text: balanceTable(balance), data: balance })));
}

function watchChanges(exchange: Exchange, everyMs: number, colors: Colors): Observable<Output> {
  return watchBalance(exchange, { everyMs }).pipe(
    distinctUntilChanged(isUnchanged),
    map((update) => ({ text: updateText(update, colors), data: update })),
  );
}

/** Whether a poll found the same balances and the same error as the last printed one. */
function isUnchanged(printed: BalanceUpdate, { changes, stale, error }: BalanceUpdate): boolean {
  return changes.length === 0 && stale === printed.stale && error?.kind === printed.error?.kind;
}

function balanceTable(balance: Balance): SafeText {
  const rows = Object.entries(balance).map(([asset, { main_balance }]) => [asset, formatAmount(main_balance)]);
  return rows.length === 0 ? text`The main account is empty.` : formatColumns(['asset', 'balance'], rows);
}

function updateText({ balance, changes, stale, error }: BalanceUpdate, colors: Colors): SafeText {
  if (stale) return colors.yellow(text`stale: ${error?.message ?? 'the last poll failed'}`);
  if (changes.length === 0) return balanceTable(balance);
  const paint = (delta: string) =>
    delta.startsWith('-') ? colors.red(formatAmount(delta)) : colors.green(formatAmount(`+${delta}`));
  const lines = changes.map(({ asset, after, delta }) => text`${asset} ${formatAmount(after)} (${paint(delta)})`);
  return join(lines, '\n');
}
