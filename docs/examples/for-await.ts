// Streams as async iterables: for code that prefers loops and promises to operators.
import { createExchange, toAsyncIterable, watchHealth } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

async function main(): Promise<void> {
  const [pong] = await firstValueFrom(exchange.public.ping());
  console.log(pong);

  let updates = 0;
  for await (const { state } of toAsyncIterable(watchHealth(exchange, { everyMs: 50 }), { keep: 'latest' })) {
    console.log(state);
    updates += 1;
    if (updates === 3) break; // leaving the loop unsubscribes: the pings stop
  }

  for await (const { alias } of toAsyncIterable(exchange.subAccounts.listAll())) {
    console.log('first sub-account:', alias);
    break; // the second page is not requested
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
