// `exchange-rx dashboard`: health, balances, limits, orders and errors on a page of this machine.
import { Command } from 'commander';
import { ignoreElements, merge, type Observable } from 'rxjs';
import { createExchange, type Exchange } from '../../exchange.js';
import { portOption } from '../arguments.js';
import { clientOptions, namesExchange } from '../client.js';
import { createFeed } from '../dashboard/feed.js';
import type { About } from '../dashboard/messages.js';
import { sandboxLife } from '../dashboard/sandbox-life.js';
import { serveDashboard } from '../dashboard/server.js';
import { openSandbox } from '../open-sandbox.js';
import type { Report } from '../report.js';
import { serving } from '../serving.js';
import { text } from '../text.js';
import type { CommonOptions, Runner } from '../verb.js';

const defaultPort = 4280;
/** The bot of the embedded exchange ends with it, and resumes nothing. */
const retentionMs = 600_000;

const help = `
Without an exchange it shows the embedded one, where a bot trades with play money.

Examples:
  $ exchange-rx dashboard
  $ exchange-rx dashboard --port 0 --json | jq -r .url`;

export function dashboardCommand({ serve, environment }: Runner): Command {
  return new Command('dashboard')
    .description('serve a page that shows health, balances, limits, orders and errors, until Ctrl-C')
    .addOption(portOption().default(defaultPort))
    .addHelpText('after', help)
    .action(({ port }: { port: number }, command: Command) => {
      const choice = command.optsWithGlobals<CommonOptions>();
      const sandbox = choice.sandbox === true || !namesExchange(choice, environment);
      return serve(command, () => (sandbox ? showSandbox(port) : showExchange(choice, environment, port)));
    });
}

function showExchange(choice: CommonOptions, environment: NodeJS.ProcessEnv, port: number): Observable<Report> {
  const options = clientOptions(choice, environment);
  return show(
    createExchange(options),
    { baseUrl: options.baseUrl, sandbox: false, account: options.credentials !== undefined },
    port,
  );
}

function showSandbox(port: number): Observable<Report> {
  const sandbox = openSandbox({ retentionMs });
  const exchange = createExchange(sandbox.clientOptions());
  return merge(
    show(exchange, { baseUrl: sandbox.baseUrl, sandbox: true, account: true }, port),
    sandboxLife(sandbox, exchange),
  );
}

function show(exchange: Exchange, about: About, port: number): Observable<Report> {
  const feed = createFeed(exchange, about);
  const served$ = serving(
    () => serveDashboard(feed, port),
    ({ url }) => ({
      text: text`The dashboard is at ${url}${about.sandbox ? text` (a sandbox: play money)` : ''}, until Ctrl-C.`,
      data: { url, sandbox: about.sandbox },
    }),
  );
  // The history is kept while no page looks.
  return merge(served$, feed.live$.pipe(ignoreElements()));
}
