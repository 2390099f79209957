// `exchange-rx sub-accounts`: every sub-account, one line each.
import { Command } from 'commander';
import { map, take } from 'rxjs';
import { limitOption } from '../option-parsers.js';
import type { Runner } from '../runner.js';
import { formatColumns } from '../terminal/index.js';

const examples = `
Examples:
  $ exchange-rx sub-accounts --search bot
  $ exchange-rx sub-accounts --json | jq -r .id`;

export function subAccountsCommand({ run }: Runner): Command {
  return new Command('sub-accounts')
    .description('list the sub-accounts')
    .addOption(limitOption())
    .option('--search <term>', 'list only sub-accounts that match')
    .addHelpText('after', examples)
    .action(({ search, limit = Infinity }: { search?: string; limit?: number }, command: Command) =>
      run(command, ({ exchange }) =>
        exchange.subAccounts.listAll(search === undefined ? {} : { search }).pipe(
          take(limit),
          map((account) => ({
            text: formatColumns([account.id, account.alias ?? '', account.status ?? ''], []),
            data: account,
          })),
        ),
      ),
    );
}
