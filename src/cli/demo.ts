// `npm start`: a bot on an embedded exchange, drawn live, for 20 s or until Ctrl-C. With EXCHANGE_BASE_URL,
// EXCHANGE_API_KEY and EXCHANGE_API_SECRET set, a read-only view of that exchange.
import { merge, share, skip, take, timer } from 'rxjs';
import { watchReadOnly } from './demo/read-only-demo.js';
import { tradeOnSandbox } from './demo/sandbox-demo.js';
import { exitCodes } from './exit-codes.js';
import { createTerminal, describeError, type Terminal } from './terminal/index.js';

const defaultSeconds = 20;

/** Resolves to whether the demo succeeded. */
async function main(environment: NodeJS.ProcessEnv, terminal: Terminal): Promise<boolean> {
  const seconds = Number(environment['DEMO_SECONDS'] ?? defaultSeconds);
  const stop$ = merge(timer(seconds * 1000), terminal.interrupts$).pipe(take(1), share());
  const { EXCHANGE_BASE_URL: baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret } = environment;
  if (baseUrl === undefined || apiKey === undefined || apiSecret === undefined) return tradeOnSandbox(terminal, stop$);
  await watchReadOnly({ baseUrl, credentials: { apiKey, apiSecret } }, terminal, stop$);
  return true;
}

const terminal = createTerminal(process);
// The subscription also keeps the listener of the signal: the Ctrl-C that npm forwards must not end the process before
// the summary.
terminal.interrupts$.pipe(skip(1)).subscribe(() => process.exit(exitCodes.interrupted));

try {
  if (!(await main(process.env, terminal))) process.exitCode = exitCodes.failed;
} catch (error) {
  terminal.log(describeError(error));
  process.exitCode = exitCodes.failed;
}
