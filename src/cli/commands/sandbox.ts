// `exchange-rx sandbox`: the embedded exchange on a port, for other programs.
import { Command, Option } from 'commander';
import { integer, oneOf, origins, portOption } from '../arguments.js';
import { applyFaultPlan } from '../fault-plan.js';
import { openSandbox } from '../open-sandbox.js';
import { serving } from '../serving.js';
import { joined, text } from '../text.js';
import type { Runner } from '../verb.js';

interface ServeOptions {
  readonly port: number;
  readonly seed?: number;
  readonly dialect?: 'live' | 'spec';
  readonly faults?: string;
  readonly allowOrigin?: readonly string[];
}

const examples = `
Examples:
  $ exchange-rx sandbox
  $ exchange-rx sandbox --port 8080 --faults plan.json
  $ exchange-rx sandbox --json | jq -r .baseUrl

Orders that have ended are in its history for an hour at least.
A plan of faults: { "faults": [{ "kind": "status", "times": 3 }], "atRandom": { "seed": 1, "rate": 0.1 } }`;

export function sandboxCommand({ serve }: Runner): Command {
  return new Command('sandbox')
    .description('serve the embedded exchange on a port of this machine, until Ctrl-C')
    .addOption(portOption().default(0, 'a free one'))
    .addOption(new Option('--seed <number>', 'the same seed gives the same prices').argParser(integer(0, 2 ** 31)))
    .addOption(
      new Option('--dialect <name>', 'the names of the live exchange, or those of its description').argParser(
        oneOf(['live', 'spec']),
      ),
    )
    .option('--faults <file>', 'a plan of faults, in JSON')
    .addOption(
      new Option(
        '--allow-origin <origin...>',
        'origins of web pages to answer, such as http://localhost:5173',
      ).argParser(origins),
    )
    .addHelpText('after', examples)
    .action(({ port, faults, seed, dialect, allowOrigin: allowedOrigins = [] }: ServeOptions, command: Command) =>
      serve(command, () => {
        const sandbox = openSandbox({
          ...(seed === undefined ? {} : { seed }),
          ...(dialect === undefined ? {} : { dialect }),
        });
        if (faults !== undefined) applyFaultPlan(sandbox, faults);
        return serving(
          () => sandbox.listen({ port, allowedOrigins }),
          (server) => {
            const { baseUrl, credentials } = server.clientOptions();
            const { apiKey, apiSecret } = credentials;
            const exports = [
              text`export EXCHANGE_BASE_URL=${baseUrl}`,
              text`export EXCHANGE_API_KEY=${apiKey}`,
              text`export EXCHANGE_API_SECRET=${apiSecret}`,
            ];
            return {
              text: joined([text`The sandbox is served at ${baseUrl}, until Ctrl-C.`, '', ...exports], '\n'),
              data: { baseUrl, apiKey, apiSecret },
            };
          },
        );
      }),
    );
}
