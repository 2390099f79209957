// Streams without operators: a loop, a single value, a promise.
import { createExchange, toAsyncIterable, watchHealth } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

const [pong] = await firstValueFrom(exchange.public.ping());
console.log(pong);

let pings = 0;
for await (const { state, latency } of toAsyncIterable(watchHealth(exchange, { everyMs: 50 }), { keep: 'latest' })) {
  pings += 1;
  console.log(state, typeof latency.lastMs);
  if (pings === 3) break; // leaving the loop unsubscribes: the pings stop
}

for await (const { id } of toAsyncIterable(exchange.subAccounts.listAll())) {
  console.log('the first of all sub-accounts', typeof id); // no second page is asked for
  break;
}
