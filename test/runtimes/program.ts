import * as endpoints from 'exchange-rx/endpoints';

// What a user of another runtime does first, and what could go wrong there: every entry point, orders, faults, sockets.
// Ends with an error when anything is not as it should be.
import { createExchange, createScheduler, isExchangeError, TransportError, retryOn503, watchHealth } from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { createSandbox } from 'exchange-rx/sandbox';
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { catchError, filter, firstValueFrom, of } from 'rxjs';

const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const path = '/api/v4/order/stock_market';

const sandbox = createSandbox();
const inProcess = createExchange({ ...sandbox.clientOptions(), checkOrders: true });
equal((await firstValueFrom(inProcess.spot.placeStockMarketOrder(order))).status, 'FILLED');

const server = await sandbox.listen();
const { baseUrl, credentials } = server.clientOptions();
const exchange = createExchange({ baseUrl, credentials, checkOrders: true, timeoutMs: 1000 });
deepEqual(await firstValueFrom(exchange.public.ping()), ['pong']);
ok((await firstValueFrom(exchange.call(endpoints.public.serverTime).pipe(retryOn503()))).time > 0);
equal((await firstValueFrom(watchHealth(exchange))).state, 'up');

// An order whose response is lost is looked up, found, and not placed again.
const progress: string[] = [];
exchange.events$.subscribe((event) => {
  if (event.type === 'order') progress.push(event.progress);
});
for (const kind of ['status', 'reset', 'truncated', 'hang'] as const) {
  const before = sandbox.ledger.orders.length;
  sandbox.fault({ kind, path, executed: true });
  const placed = await firstValueFrom(exchange.spot.placeStockMarketOrder(order));
  equal(placed.client_order_id, sandbox.ledger.orders.at(-1)?.client_order_id);
  equal(sandbox.ledger.orders.length, before + 1);
  equal(progress.at(-1), 'found');
}

// Who unsubscribes hangs up.
sandbox.fault({ kind: 'hang', path: '/api/v4/public/ping' });
const listening = exchange.public.ping().subscribe();
await sleep(50);
listening.unsubscribe();

// A list, which is compressed on the wire.
ok((await firstValueFrom(exchange.public.markets())).length > 0);
await server.close();

// No server listens there.
const failure = await firstValueFrom(
  createExchange({ baseUrl, credentials, retry: false })
    .spot.placeStockMarketOrder(order)
    .pipe(catchError((error: unknown) => of(error))),
);
ok(failure instanceof TransportError && isExchangeError(failure), String(failure));
equal(failure.outcome, 'not-executed');

// Without a Redis, an event reports it, and nothing keeps the process alive.
const scheduler = createScheduler({ redis: shareOverRedis({ url: baseUrl.replace('http', 'redis') }) });
const { state } = await firstValueFrom(scheduler.events$.pipe(filter((event) => event.type === 'sharing')));
equal(state, 'lost');

console.log('all as it should be');
