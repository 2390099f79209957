// What `exchange-rx` is to a block of a document that is run: the package, but that the exchange of the examples is a
// sandbox.
import * as sdk from '../../src/index.js';
import { createSandbox } from '../../src/sandbox/index.js';

export * from '../../src/index.js';

const sandbox = createSandbox();
const addresses: readonly string[] = ['https://exchange.example', ...Object.values(sdk.baseUrls)];

/** An address of the examples, or of the exchange, leads to the sandbox, with its key where the example gives one. */
function onSandbox(options: sdk.ClientOptions): sdk.ClientOptions {
  if (options.fetch !== undefined || !addresses.includes(options.baseUrl)) return options;
  const { credentials, fetch } = sandbox.clientOptions();
  const { transport, ...others } = options;
  // The sandbox in process is reached by its fetch only. The transports have a conformance suite.
  void transport;
  return { ...others, fetch, ...(options.credentials === undefined ? {} : { credentials }) };
}

export const createExchange: typeof sdk.createExchange = (options) => sdk.createExchange(onSandbox(options));
