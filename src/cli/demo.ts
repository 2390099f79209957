// What `npm start` runs: a bot on an embedded exchange, drawn live, for 20 s or until Ctrl-C. With EXCHANGE_BASE_URL,
// EXCHANGE_API_KEY and EXCHANGE_API_SECRET set, only the part that reads, on that exchange.
import { fromEvent, merge, share, take, timer, type Observable } from 'rxjs';
import { tradeOnSandbox } from './demo/on-sandbox.js';
import { readOnly } from './demo/read-only.js';
import { describe, processTerminal } from './terminal.js';

const defaultSeconds = 20;

function stopAfter(seconds: number): Observable<unknown> {
  return merge(timer(seconds * 1000), fromEvent(process, 'SIGINT')).pipe(take(1), share());
}

async function main(environment: NodeJS.ProcessEnv): Promise<void> {
  const stop$ = stopAfter(Number(environment['DEMO_SECONDS'] ?? defaultSeconds));
  const { EXCHANGE_BASE_URL: baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret } = environment;
  if (baseUrl !== undefined && apiKey !== undefined && apiSecret !== undefined) {
    await readOnly({ baseUrl, credentials: { apiKey, apiSecret } }, stop$);
    return;
  }
  const reconciled = await tradeOnSandbox(stop$);
  if (!reconciled) process.exitCode = 1;
}

main(process.env).catch((error: unknown) => {
  processTerminal().say(describe(error));
  process.exitCode = 1;
});
