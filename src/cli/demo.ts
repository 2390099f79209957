// `npm start`: a bot on an embedded exchange, drawn live, for 20 s or until Ctrl-C. With EXCHANGE_BASE_URL,
// EXCHANGE_API_KEY and EXCHANGE_API_SECRET set, a read-only view of that exchange.
import { merge, share, take, timer } from 'rxjs';
import { watchReadOnly } from './demo/read-only-demo.js';
import { tradeOnSandbox } from './demo/sandbox-demo.js';
import { createTerminal, describeError, type Terminal } from './terminal/index.js';

const defaultSeconds = 20;

async function main(environment: NodeJS.ProcessEnv, terminal: Terminal): Promise<void> {
  const seconds = Number(environment['DEMO_SECONDS'] ?? defaultSeconds);
  const stop$ = merge(timer(seconds * 1000), terminal.interrupts$).pipe(take(1), share());
  const { EXCHANGE_BASE_URL: baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret } = environment;
  if (baseUrl !== undefined && apiKey !== undefined && apiSecret !== undefined) {
    await watchReadOnly({ baseUrl, credentials: { apiKey, apiSecret } }, terminal, stop$);
    return;
  }
  const isReconciled = await tradeOnSandbox(terminal, stop$);
  if (!isReconciled) process.exitCode = 1;
}

const terminal = createTerminal(process);

main(process.env, terminal).catch((error: unknown) => {
  terminal.log(describeError(error));
  process.exitCode = 1;
});
