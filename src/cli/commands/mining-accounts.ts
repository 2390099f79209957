// `exchange-rx mining-accounts`: every account of the mining pool, one line each.
import { Command } from 'commander';
import { map, take } from 'rxjs';
import { limitOption } from '../option-parsers.js';
import type { Runner } from '../runner.js';
import { formatTime, text } from '../terminal/index.js';

export function miningAccountsCommand({ run }: Runner): Command {
  return new Command('mining-accounts')
    .description('list the accounts of the mining pool, newest first')
    .addOption(limitOption())
    .addHelpText('after', '\nExample:\n  $ exchange-rx mining-accounts --limit 5')
    .action(({ limit = Infinity }: { limit?: number }, command: Command) =>
      run(command, ({ exchange }) =>
        exchange.mining.listAllAccounts().pipe(
          take(limit),
          map((account) => ({ text: text`${formatTime(account.createdAt)}  ${account.name}`, data: account })),
        ),
      ),
    );
}
