// 2,000 orders over real sockets, through a network that cuts, stalls and corrupts, to an exchange behind a proxy that
// replays and an engine that is late.
import { createExchange, type ClientEvent } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { lastValueFrom, mergeMap, range } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { audit, learn, uniqueAmount, type Reported } from './audit.js';
import { openProxy } from './proxy.js';

const seed = Number(process.env['SEED'] ?? 20_261_121);
const orders = 2000;

it(`a network that cuts, stalls, corrupts and replays doubles, loses and misreports none of ${orders} orders (SEED=${seed} replays its choices)`, async () => {
  const sandbox = createSandbox({
    volatility: 0,
    accounts: [{ name: 'main', balances: { trade: { BTC: '1000000', USDT: '100000000000' } } }],
  });
  sandbox.randomFaults({
    seed,
    rate: 0.03,
    kinds: ['replay', 'late-execution', 'unexpected-fields'],
    maxDelayMs: 1000,
    maxExecutionDelayMs: 2000,
  });
  const server = await sandbox.listen();
  const proxy = await openProxy(server.port, { seed, rate: 0.04, maxStallMs: 4000 });
  try {
    const exchange = createExchange({
      ...server.clientOptions(),
      baseUrl: proxy.baseUrl,
      timeoutMs: 2500,
      maxInFlight: 64,
      settleMs: 3000,
      retry: { budget: { max: 1e6 } },
    });
    // What happened to an order that is misreported is not to be guessed afterwards.
    const events: ClientEvent[] = [];
    exchange.events$.subscribe((event) => events.push(event));
    const wallClock = () => Date.now() - performance.now();
    const wallClockAtStart = wallClock();
    const reported: Reported[] = [];
    const foreign: unknown[] = [];
    const one = (index: number) =>
      new Promise<void>((resolve) => {
        const amount = uniqueAmount(0.001, index, 6);
        learn(
          exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: index % 2 === 0 ? 'buy' : 'sell', amount }),
          amount,
          (learned) => {
            if (learned.reported === undefined) foreign.push(learned.foreign);
            else reported.push(learned.reported);
            resolve();
          },
        );
      });
    await lastValueFrom(range(0, orders).pipe(mergeMap(one, 64)));
    await sleep(5000);
    const result = audit(sandbox, reported);
    console.log(`seed ${seed}:`, {
      ...proxy.done,
      placed: reported.filter(({ as }) => as === 'order').length,
      ...result,
    });
    for (const mistake of result.mistakes) {
      const { order_id, client_order_id } = mistake.order ?? {};
      const requests = sandbox.ledger.requests.filter(
        (request) => request.order_id !== undefined && request.order_id === order_id,
      );
      const own = events.filter((event) => 'client_order_id' in event && event.client_order_id === client_order_id);
      console.log(
        inspect({ mistake, requests, events: own, wallClockMovedMs: wallClock() - wallClockAtStart }, { depth: 6 }),
      );
    }
    expect(foreign).toEqual([]);
    expect(reported).toHaveLength(orders);
    expect(proxy.done.cut + proxy.done.corrupted).toBeGreaterThan(100);
    expect(result).toMatchObject({ doubled: 0, lost: 0, misreported: 0 });
  } finally {
    proxy.close();
    await server.close();
  }
}, 300_000);
