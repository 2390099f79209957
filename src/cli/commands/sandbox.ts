// `exchange-rx sandbox`: the embedded exchange on a port, for other programs.
import { Command, Option } from 'commander';
import { readFileSync } from 'node:fs';
import { parseFaultPlan, type Sandbox } from '../../sandbox/index.js';
import { openSandbox } from '../client-options.js';
import { UsageError } from '../exit-codes.js';
import { integerBetween, parseOrigins, portOption } from '../option-parsers.js';
import { serveUntilUnsubscribed, type Runner } from '../runner.js';
import { join, text } from '../terminal/index.js';

interface SandboxCommandOptions {
  readonly port: number;
  readonly seed?: number;
  readonly faults?: string;
  readonly allowOrigin?: readonly string[];
}

const help = `
Examples:
  $ exchange-rx sandbox
  $ exchange-rx sandbox --port 8080 --faults plan.json
  $ exchange-rx sandbox --json | jq -r .baseUrl

The order history keeps an order for at least one hour after it has ended.
A fault plan: { "faults": [{ "kind": "status", "times": 3 }], "randomFaults": { "seed": 1, "rate": 0.1 } }
On the live connection: "liveFaults": [{ "kind": "cut" }], "randomLiveFaults": { "share": 0.01 }`;

export function sandboxCommand({ serve }: Runner): Command {
  return new Command('sandbox')
    .description('serve the embedded exchange on a port of this machine, until Ctrl-C')
    .addOption(portOption().default(0, 'a free port'))
    .addOption(
      new Option('--seed <number>', 'seed of the prices: the same seed gives the same prices').argParser(
        integerBetween(0, 2 ** 31),
      ),
    )
    .option('--faults <file>', 'JSON file with a fault plan')
    .addOption(
      new Option(
        '--allow-origin <origin...>',
        'origins of web pages that may call the sandbox, such as http://localhost:5173',
      ).argParser(parseOrigins),
    )
    .addHelpText('after', help)
    .action(({ port, faults, allowOrigin: allowedOrigins = [], ...seed }: SandboxCommandOptions, command: Command) =>
      serve(command, () => {
        const sandbox = openSandbox(seed);
        if (faults !== undefined) applyFaultPlan(sandbox, faults);
        return serveUntilUnsubscribed(
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
              text: join([text`Sandbox listening on ${baseUrl}. Ctrl-C stops it.`, '', ...exports], '\n'),
              data: { baseUrl, apiKey, apiSecret },
            };
          },
        );
      }),
    );
}

function applyFaultPlan(sandbox: Sandbox, path: string): void {
  const text = readText(path);
  try {
    const { faults = [], randomFaults, liveFaults = [], randomLiveFaults } = parseFaultPlan(parseJson(text));
    for (const fault of faults) sandbox.fault(fault);
    sandbox.randomFaults(randomFaults);
    for (const fault of liveFaults) sandbox.liveFault(fault);
    sandbox.randomLiveFaults(randomLiveFaults);
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path}: cannot be read`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('must be JSON');
  }
}
