// Metrics for Prometheus: orders by outcome, requests, retries, rate limits, live connections, and health.
import { createExchange, watchHealth } from 'exchange-rx';
import { observeMetrics, promMeter } from 'exchange-rx/metrics';
import { createSandbox } from 'exchange-rx/sandbox';
import { createServer } from 'node:http';
import prom from 'prom-client';
import { forkJoin } from 'rxjs';

const port = Number(process.env['PORT'] ?? 9464);
const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

const registry = new prom.Registry();
observeMetrics(exchange, promMeter(prom, registry));
const up = new prom.Gauge({ name: 'exchange_up', help: '1 up, 0.5 degraded, 0 down', registers: [registry] });
watchHealth(exchange).subscribe(({ state }) => up.set({ up: 1, degraded: 0.5, down: 0 }[state]));

createServer((_request, response) => {
  registry.metrics().then(
    (text) => response.setHeader('content-type', registry.contentType).end(text),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/metrics`));

// For the demonstration: an order, and a balance whose first response is 503.
sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
forkJoin({
  order: exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }),
  balance: exchange.account.mainBalance(),
}).subscribe();
