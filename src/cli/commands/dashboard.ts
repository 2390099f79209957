// `exchange-rx dashboard`: the trading page, on this machine.
import { Command } from 'commander';
import { merge, type Observable } from 'rxjs';
import { createExchange, type Exchange } from '../../exchange.js';
import { clientOptions, isExchangeNamed, openSandbox } from '../client-options.js';
import { createDashboard, type DashboardOptions } from '../dashboard/index.js';
import { sandboxActivity, sandboxOptions } from '../dashboard/sandbox-activity.js';
import { portOption } from '../option-parsers.js';
import { serveUntilUnsubscribed, type CommonOptions, type Runner } from '../runner.js';
import { text, type Output } from '../terminal/index.js';

const defaultPort = 4280;
/** The bot on the embedded exchange looks up no order of an earlier run. */
const retentionMs = 600_000;

interface ServeOptions extends DashboardOptions {
  readonly port: number;
}

const help = `
Without an exchange, the dashboard shows the embedded one, on which a bot trades with play money.

Examples:
  $ exchange-rx dashboard
  $ exchange-rx dashboard --allow-trading
  $ exchange-rx dashboard --port 0 --json | jq -r .url`;

export function dashboardCommand({ serve, environment }: Runner): Command {
  return new Command('dashboard')
    .description('serve a trading page: a market, orders, positions, balances, health and limits, until Ctrl-C')
    .addOption(portOption().default(defaultPort))
    .option('--market <market>', 'the market that the page shows first', 'BTC_USDT')
    .option('--currency <currency>', 'the currency that the account is valued in at first', 'USDT')
    .option('--allow-trading', 'let the page cancel orders and close positions, each after a confirmation')
    .addHelpText('after', help)
    .action((options: ServeOptions, command: Command) => {
      const common = command.optsWithGlobals<CommonOptions>();
      const isSandbox = common.sandbox === true || !isExchangeNamed(common, environment);
      return serve(command, () =>
        isSandbox ? showSandbox(options) : show(createExchange(clientOptions(common, environment)), options, false),
      );
    });
}

function showSandbox(options: ServeOptions): Observable<Output> {
  const sandbox = openSandbox({ retentionMs, ...sandboxOptions });
  const exchange = createExchange({ ...sandbox.clientOptions(), warnings: false });
  return merge(show(exchange, options, true), sandboxActivity(exchange));
}

function show(exchange: Exchange, { port, ...options }: ServeOptions, playMoney: boolean): Observable<Output> {
  return serveUntilUnsubscribed(
    async () => {
      const { market = 'BTC_USDT', currency = 'USDT', allowTrading = false } = options;
      const dashboard = createDashboard(exchange, { market, currency, allowTrading, playMoney, record: true });
      return { url: await dashboard.listen(port), close: () => dashboard.close() };
    },
    ({ url }) => ({
      text: text`Dashboard of ${playMoney ? 'the embedded sandbox (play money)' : exchange.baseUrl}: ${url}\nOpen this URL in a browser. Ctrl-C stops the dashboard.`,
      data: { url, sandbox: playMoney },
    }),
  );
}
