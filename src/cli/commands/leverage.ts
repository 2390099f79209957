// `exchange-rx leverage`: the leverage of the collateral account.
import { Command } from 'commander';
import { map } from 'rxjs';
import { leverages, type Leverage } from '../../model/position.js';
import { oneOf } from '../option-parsers.js';
import type { Runner } from '../runner.js';
import { text } from '../terminal/index.js';

export function leverageCommand({ run }: Runner): Command {
  return new Command('leverage')
    .description('set the leverage of the collateral account')
    .argument('<factor>', leverages.join(', '), oneOf(leverages))
    .addHelpText('after', '\nExample:\n  $ exchange-rx leverage 5')
    .action((leverage: Leverage, _options: object, command: Command) =>
      run(command, ({ exchange }) =>
        exchange.collateral
          .setLeverage({ leverage })
          .pipe(map((set) => ({ text: text`Leverage of the collateral account: ${set.leverage}`, data: set }))),
      ),
    );
}
