// `exchange-rx markets`: the markets and their rules.
import { Command } from 'commander';
import { map } from 'rxjs';
import { UsageError } from '../exit-codes.js';
import type { Runner } from '../runner.js';
import { formatColumns, text } from '../terminal/index.js';

export function marketsCommand({ run }: Runner): Command {
  return new Command('markets')
    .description('list the markets and their rules')
    .argument('[names...]', 'list only these markets, such as BTC_USDT')
    .addHelpText('after', '\nExamples:\n  $ exchange-rx markets\n  $ exchange-rx markets BTC_USDT ETH_USDT --json')
    .action((names: string[], _options: object, command: Command) =>
      run(command, ({ exchange }) =>
        exchange.public.markets().pipe(
          map((all) => {
            const unlisted = names.filter((name) => !all.some((market) => market.name === name));
            if (unlisted.length > 0)
              throw new UsageError(`unknown market ${unlisted.join(', ')}: "exchange-rx markets" lists all markets`);
            const markets = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
            const rows = markets.map((market) => [
              market.name,
              market.minAmount ?? '–',
              market.minTotal ?? '–',
              text`${market.stockPrec} / ${market.moneyPrec}`,
              market.tradesEnabled === false ? 'disabled' : 'enabled',
            ]);
            return {
              text: formatColumns(['market', 'min amount', 'min total', 'decimals', 'trading'], rows),
              data: markets,
            };
          }),
        ),
      ),
    );
}
