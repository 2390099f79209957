// `exchange-rx dashboard`: health, balances, limits, orders and errors on a page of this machine.
import { Command } from 'commander';
import { createExchange } from '../../exchange.js';
import { createSandbox } from '../../sandbox/index.js';
import { portOption } from '../arguments.js';
import { clientOptions, namesExchange } from '../client.js';
import { createFeed } from '../dashboard/feed.js';
import { sandboxLife } from '../dashboard/sandbox-life.js';
import { serveDashboard, type DashboardServer } from '../dashboard/server.js';
import { serving } from '../serving.js';
import type { CommonOptions, Runner } from '../verb.js';

const defaultPort = 4280;

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
      const open = () => (sandbox ? openOnSandbox(port) : openOnExchange(choice, environment, port));
      return serve(command, () =>
        serving(open, ({ url }) => ({
          text: `The dashboard is at ${url}${sandbox ? ' (a sandbox: play money)' : ''}, until Ctrl-C.`,
          data: { url, sandbox },
        })),
      );
    });
}

function openOnExchange(choice: CommonOptions, environment: NodeJS.ProcessEnv, port: number): Promise<DashboardServer> {
  const options = clientOptions(choice, environment);
  const about = { baseUrl: options.baseUrl, sandbox: false, account: options.credentials !== undefined };
  return serveDashboard(createFeed(createExchange(options), about), port);
}

async function openOnSandbox(port: number): Promise<DashboardServer> {
  const sandbox = createSandbox();
  const exchange = createExchange(sandbox.clientOptions());
  const server = await serveDashboard(createFeed(exchange, { baseUrl: sandbox.baseUrl, sandbox: true, account: true }), port);
  const life = sandboxLife(sandbox, exchange).subscribe();
  return {
    url: server.url,
    close: () => {
      life.unsubscribe();
      return server.close();
    },
  };
}
