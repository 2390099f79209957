// Metrics for Prometheus: requests, their duration, repeats, how full each limit is, and health; on a port, for it to scrape.
import { createExchange, watchHealth } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { createServer } from 'node:http';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { lastValueFrom, take } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

const registers = [new Registry()];
const seconds = new Histogram({ name: 'exchange_request_seconds', help: 'From sending to the answer', labelNames: ['endpoint', 'result'], registers });
const retries = new Counter({ name: 'exchange_retries_total', help: 'Requests sent again', labelNames: ['endpoint', 'kind'], registers });
const limited = new Counter({ name: 'exchange_429_total', help: 'Answers 429: someone else uses this address', labelNames: ['rate_limit'], registers });
const waited = new Counter({ name: 'exchange_permit_wait_seconds_total', help: 'Waited for our own limit', labelNames: ['rate_limit'], registers });
const used = new Gauge({ name: 'exchange_limit_used_ratio', help: 'How full the window is', labelNames: ['rate_limit'], registers });
const up = new Gauge({ name: 'exchange_up', help: '1 up, 0.5 degraded, 0 down', registers });

exchange.events$.subscribe((event) => {
  if (event.type === 'response') seconds.observe({ endpoint: event.endpoint, result: event.result }, event.durationMs / 1000);
  if (event.type === 'retry') retries.inc({ endpoint: event.endpoint, kind: event.kind });
  if (event.type === 'limit') limited.inc({ rate_limit: event.rateLimit });
  if (event.type === 'wait') waited.inc({ rate_limit: event.rateLimit }, event.waitedMs / 1000);
});
const usage = exchange.scheduler.usage$.subscribe((groups) => {
  for (const { rateLimit, used: count, limit } of groups) used.set({ rate_limit: rateLimit }, count / limit);
});
const health = watchHealth(exchange, { everyMs: 100 }).subscribe(({ state }) => {
  up.set({ up: 1, degraded: 0.5, down: 0 }[state]);
});

const server = createServer((_request, response) => {
  Promise.all(registers.map((registry) => registry.metrics())).then(
    (texts) => response.setHeader('content-type', 'text/plain').end(texts.join('')),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(0, '127.0.0.1');

// What a scrape finds after an order, and a balance whose first response was 503.
sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance', times: 1 });
await lastValueFrom(exchange.account.mainBalance());
await lastValueFrom(exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }));
await lastValueFrom(exchange.scheduler.usage$.pipe(take(2)));
const address = server.address();
console.log(await (await fetch(`http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/metrics`)).text());
server.close();
usage.unsubscribe();
health.unsubscribe();
