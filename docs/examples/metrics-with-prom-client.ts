// Metrics for Prometheus: requests, latency, retries, usage of each rate limit, and health.
import { createExchange, watchHealth } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { createServer } from 'node:http';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { forkJoin } from 'rxjs';

const port = Number(process.env['PORT'] ?? 9464);
const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

const registers = [new Registry()];
const seconds = new Histogram({
  name: 'exchange_request_seconds',
  help: 'Time from sending a request to its response',
  labelNames: ['endpoint', 'result'],
  registers,
});
const retries = new Counter({
  name: 'exchange_retries_total',
  help: 'Retries',
  labelNames: ['endpoint', 'kind'],
  registers,
});
const rejected = new Counter({
  name: 'exchange_429_total',
  help: 'Responses with status 429: another program uses this address',
  labelNames: ['rate_limit'],
  registers,
});
const waited = new Counter({
  name: 'exchange_permit_wait_seconds_total',
  help: 'Time that requests waited for a permit',
  labelNames: ['rate_limit'],
  registers,
});
const used = new Gauge({
  name: 'exchange_limit_used_ratio',
  help: 'Share of the rate limit that is used in the current window',
  labelNames: ['rate_limit'],
  registers,
});
const up = new Gauge({ name: 'exchange_up', help: '1 up, 0.5 degraded, 0 down', registers });

exchange.events$.subscribe((event) => {
  if (event.type === 'response')
    seconds.observe({ endpoint: event.endpoint, result: event.result }, event.durationMs / 1000);
  if (event.type === 'retry') retries.inc({ endpoint: event.endpoint, kind: event.kind });
  if (event.type === 'limit') rejected.inc({ rate_limit: event.rateLimit });
  if (event.type === 'wait') waited.inc({ rate_limit: event.rateLimit }, event.waitedMs / 1000);
});
exchange.scheduler.usage$.subscribe((limits) => {
  for (const { rateLimit, used: count, limit } of limits) used.set({ rate_limit: rateLimit }, count / limit);
});
watchHealth(exchange).subscribe(({ state }) => up.set({ up: 1, degraded: 0.5, down: 0 }[state]));

createServer((_request, response) => {
  Promise.all(registers.map((registry) => registry.metrics())).then(
    (texts) => response.setHeader('content-type', 'text/plain').end(texts.join('')),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/metrics`));

// For the demonstration: an order, and a balance whose first response is 503.
sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
forkJoin({
  order: exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }),
  balance: exchange.account.mainBalance(),
}).subscribe();
