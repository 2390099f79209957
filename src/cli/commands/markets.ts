// `exchange-rx markets`: what is traded, and by which rules.
import { Command } from 'commander';
import { map } from 'rxjs';
import { UsageError } from '../exit-codes.js';
import { listing, text } from '../text.js';
import type { Runner } from '../verb.js';

export function marketsCommand({ run }: Runner): Command {
  return new Command('markets')
    .description('list the markets and their rules')
    .argument('[names...]', 'only these, such as BTC_USDT')
    .addHelpText('after', '\nExamples:\n  $ exchange-rx markets\n  $ exchange-rx markets BTC_USDT ETH_USDT --json')
    .action((names: string[], _options: object, command: Command) =>
      run(command, ({ exchange }) =>
        exchange.public.markets().pipe(
          map((all) => {
            const missing = names.filter((name) => !all.some((market) => market.name === name));
            if (missing.length > 0) throw new UsageError(`the exchange has no market ${missing.join(', ')}`);
            const markets = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
            const rows = markets.map((market) => [
              market.name,
              market.minAmount ?? 'not given',
              market.minTotal ?? 'not given',
              text`${market.stockPrec} / ${market.moneyPrec}`,
              market.tradesEnabled === false ? 'closed' : 'open',
            ]);
            return {
              text: listing(['market', 'least amount', 'least total', 'places', 'trading'], rows),
              data: markets,
            };
          }),
        ),
      ),
    );
}
