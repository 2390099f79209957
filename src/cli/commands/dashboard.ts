// `exchange-rx dashboard`: health, balances, rate limits, orders and errors on a web page of this machine.
import { Command } from 'commander';
import { ignoreElements, merge, type Observable } from 'rxjs';
import { createExchange, type Exchange } from '../../exchange.js';
import { clientOptions, isExchangeNamed, openSandbox } from '../client-options.js';
import { createFeed } from '../dashboard/feed.js';
import type { About } from '../dashboard/messages.js';
import { sandboxActivity } from '../dashboard/sandbox-activity.js';
import { serveDashboard } from '../dashboard/server.js';
import { portOption } from '../option-parsers.js';
import { serveUntilUnsubscribed, type CommonOptions, type Runner } from '../runner.js';
import { text, type Output } from '../terminal/index.js';

const defaultPort = 4280;
/** The bot on the embedded exchange looks up no order of an earlier run. */
const retentionMs = 600_000;

interface DashboardOptions {
  readonly port: number;
  readonly market: string;
}

const help = `
Without an exchange, the dashboard shows the embedded one, on which a bot trades with play money.

Examples:
  $ exchange-rx dashboard
  $ exchange-rx dashboard --port 0 --json | jq -r .url`;

export function dashboardCommand({ serve, environment }: Runner): Command {
  return new Command('dashboard')
    .description('serve a page with health, balances, rate limits, orders and errors, until Ctrl-C')
    .addOption(portOption().default(defaultPort))
    .option('--market <market>', 'the market whose live order book is shown', 'BTC_USDT')
    .addHelpText('after', help)
    .action(({ port, market }: DashboardOptions, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions>();
      const isSandbox = options.sandbox === true || !isExchangeNamed(options, environment);
      return serve(command, () =>
        isSandbox ? showSandbox(port, market) : showExchange(options, environment, port, market),
      );
    });
}

function showExchange(
  common: CommonOptions,
  environment: NodeJS.ProcessEnv,
  port: number,
  market: string,
): Observable<Output> {
  const options = clientOptions(common, environment);
  return show(
    createExchange(options),
    { baseUrl: options.baseUrl, sandbox: false, account: options.credentials !== undefined },
    port,
    market,
  );
}

function showSandbox(port: number, market: string): Observable<Output> {
  const sandbox = openSandbox({ retentionMs });
  const exchange = createExchange(sandbox.clientOptions());
  return merge(
    show(exchange, { baseUrl: sandbox.baseUrl, sandbox: true, account: true }, port, market),
    sandboxActivity(sandbox, exchange),
  );
}

function show(exchange: Exchange, about: About, port: number, market: string): Observable<Output> {
  const feed = createFeed(exchange, about, market);
  const served$ = serveUntilUnsubscribed(
    () => serveDashboard(feed, port),
    ({ url }) => ({
      text: text`Dashboard of ${about.sandbox ? 'the embedded sandbox (play money)' : about.baseUrl}: ${url}\nOpen this URL in a browser. Ctrl-C stops the dashboard.`,
      data: { url, sandbox: about.sandbox },
    }),
  );
  // The subscription keeps the history while no page is open.
  return merge(served$, feed.live$.pipe(ignoreElements()));
}
