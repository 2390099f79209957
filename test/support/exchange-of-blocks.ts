// What `exchange-rx` is to a block of a document that is run: the package, but that the exchange of the examples is a
// sandbox.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as sdk from '../../src/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { members } from './endpoints.js';

export * from '../../src/index.js';

const sandbox = createSandbox();
const addresses: readonly string[] = ['https://exchange.example', ...Object.values(sdk.baseUrls)];

/** The groups whose examples name invented accounts, keys and transactions. */
const invented = new Set(['account', 'apiKeys', 'compliance', 'convert', 'lending', 'mining', 'oauth', 'subAccounts']);

/** The recorded response of an endpoint of such a group, or of one that the sandbox does not serve. */
function recordedFor(method: string, path: string, hasNoRoute: boolean): unknown {
  const found = members.find(
    ({ group, member }) =>
      (hasNoRoute || invented.has(group)) &&
      'path' in member &&
      member.method === method &&
      new RegExp(`^${member.path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path),
  );
  if (found === undefined) return undefined;
  const file = join(process.cwd(), 'test/recorded', `${found.member.name}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly response: unknown }).response;
}

/** The sandbox; where it refuses what an example invented, the recorded response. */
function orRecorded(fetch: sdk.Fetch): sdk.Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (![400, 401, 404, 422].includes(response.status)) return response;
    const recorded = recordedFor(init.method, new URL(url).pathname, response.status === 404);
    return recorded === undefined ? response : Response.json(recorded);
  };
}

/** An address of the examples, or of the exchange, leads to the sandbox, with its key where the example gives one. */
function onSandbox(options: sdk.ClientOptions): sdk.ClientOptions {
  if (options.fetch !== undefined) return { ...options, fetch: orRecorded(options.fetch) };
  if (!addresses.includes(options.baseUrl)) return options;
  const { credentials, fetch } = sandbox.clientOptions();
  const { transport, ...others } = options;
  // The sandbox in process is reached by its fetch only. The transports have a conformance suite.
  void transport;
  return { ...others, fetch: orRecorded(fetch), ...(options.credentials === undefined ? {} : { credentials }) };
}

export const createExchange: typeof sdk.createExchange = (options) => sdk.createExchange(onSandbox(options));
