// `exchange-rx sub-accounts` and `mining-accounts`: lists that are read to their end, a line each.
import { Command } from 'commander';
import { map, take } from 'rxjs';
import { integer } from '../arguments.js';
import { formatTime } from '../report.js';
import { listing, text } from '../text.js';
import type { Runner } from '../verb.js';

interface ListOptions {
  readonly limit?: number;
  readonly search?: string;
}

export function subAccountsCommand({ run }: Runner): Command {
  return listCommand('sub-accounts', 'list the sub-accounts')
    .option('--search <term>', 'only those that match')
    .addHelpText(
      'after',
      '\nExamples:\n  $ exchange-rx sub-accounts --search bot\n  $ exchange-rx sub-accounts --json | jq -r .id',
    )
    .action(({ search, limit = Infinity }: ListOptions, command: Command) =>
      run(command, ({ exchange }) =>
        exchange.subAccounts.listAll(search === undefined ? {} : { search }).pipe(
          take(limit),
          map((account) => ({
            text: listing([account.id, account.alias ?? '', account.status ?? ''], []),
            data: account,
          })),
        ),
      ),
    );
}

export function miningAccountsCommand({ run }: Runner): Command {
  return listCommand('mining-accounts', 'list the accounts of the mining pool, newest first')
    .addHelpText('after', '\nExample:\n  $ exchange-rx mining-accounts --limit 5')
    .action(({ limit = Infinity }: ListOptions, command: Command) =>
      run(command, ({ exchange }) =>
        exchange.mining.listAllAccounts().pipe(
          take(limit),
          map((account) => ({ text: text`${formatTime(account.createdAt)}  ${account.name}`, data: account })),
        ),
      ),
    );
}

function listCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--limit <count>', 'no more than so many', integer(1, 1_000_000));
}
