// `exchange-rx balance`: what the main account holds.
import { Command } from 'commander';
import { distinctUntilChanged, map, type Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import type { Balance } from '../../model/balance.js';
import { watchBalance, type BalanceUpdate } from '../../streams/index.js';
import { wholeAmount } from '../amounts.js';
import { everyOption } from '../arguments.js';
import type { Report } from '../report.js';
import { joined, listing, text, type Colors, type Text } from '../text.js';
import type { Runner } from '../verb.js';

export function balanceCommand({ run }: Runner): Command {
  return new Command('balance')
    .description('show what the main account holds')
    .option('-w, --watch', 'go on until Ctrl-C, and tell what changes')
    .addOption(everyOption(5000))
    .addHelpText(
      'after',
      '\nExamples:\n  $ exchange-rx balance --sandbox\n  $ exchange-rx balance --json | jq -r .BTC.main_balance\n  $ exchange-rx balance --watch',
    )
    .action(({ watch, every }: { watch?: boolean; every: number }, command: Command) =>
      run(command, ({ exchange, terminal }) =>
        watch === true ? watchChanges(exchange, every, terminal.colors) : readOnce(exchange),
      ),
    );
}

function readOnce(exchange: Exchange): Observable<Report> {
  return exchange.account.mainBalance().pipe(map((balance) => ({ text: balanceTable(balance), data: balance })));
}

function watchChanges(exchange: Exchange, everyMs: number, colors: Colors): Observable<Report> {
  return watchBalance(exchange, { everyMs }).pipe(
    distinctUntilChanged(isOldNews),
    map((update) => ({ text: updateText(update, colors), data: update })),
  );
}

/** Whether a poll found nothing new: the same balances, and the same error. */
function isOldNews(told: BalanceUpdate, { changes, stale, error }: BalanceUpdate): boolean {
  return changes.length === 0 && stale === told.stale && error?.kind === told.error?.kind;
}

function balanceTable(balance: Balance): Text {
  const rows = Object.entries(balance).map(([asset, { main_balance }]) => [asset, wholeAmount(main_balance)]);
  return rows.length === 0 ? text`The main account holds nothing.` : listing(['asset', 'balance'], rows);
}

function updateText({ balance, changes, stale, error }: BalanceUpdate, colors: Colors): Text {
  if (stale) return colors.yellow(text`stale: ${error?.message ?? 'the last poll failed'}`);
  if (changes.length === 0) return balanceTable(balance);
  const paint = (delta: string) =>
    delta.startsWith('-') ? colors.red(wholeAmount(delta)) : colors.green(wholeAmount(`+${delta}`));
  const lines = changes.map(({ asset, after, delta }) => text`${asset} ${wholeAmount(after)} (${paint(delta)})`);
  return joined(lines, '\n');
}
