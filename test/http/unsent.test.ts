// Whether a request was written when it failed, timed out or was unsubscribed, as the default transport reports it.
import { createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canBeBlackHole, openBlackHole, type BlackHole } from '../support/black-hole.js';
import { failureOf } from '../support/failure.js';
import { portOf } from '../support/raw-server.js';
import { order } from '../support/transports.js';
import { ordering } from './ordering.js';

describe.skipIf(!canBeBlackHole)('a request whose connection is never made', () => {
  async function blackHole(): Promise<BlackHole> {
    const hole = await openBlackHole();
    onTestFinished(() => hole.close());
    return hole;
  }

  it.each([
    ['connectTimeoutMs is shorter', { timeoutMs: 3000, connectTimeoutMs: 200 }],
    ['timeoutMs is shorter', { timeoutMs: 200, connectTimeoutMs: 3000 }],
    ['callTimeoutMs is shorter', { callTimeoutMs: 200, timeoutMs: 3000, connectTimeoutMs: 3000 }],
  ])('is not executed when %s, including orders, and its permit is free', async (_, times) => {
    const { baseUrl, requests } = await blackHole();
    const { exchange, order$, released } = ordering({ baseUrl, ...times });
    const failures = await Promise.all([order$, exchange.public.ping(), exchange.account.mainBalance()].map(failureOf));
    for (const failure of failures) expect(failure).toMatchObject({ kind: 'timeout', outcome: 'not-executed' });
    expect(released).toEqual(['unsent', 'unsent', 'unsent']);
    expect(requests).toEqual([]);
  });

  it('is never sent after it is unsubscribed, but the next request is', async () => {
    const hole = await blackHole();
    const { exchange, order$, released } = ordering({ baseUrl: hole.baseUrl, maxInFlight: 1 });
    const subscription = order$.subscribe();
    // Connecting by now. If not, it is unsubscribed even earlier, which is as good.
    await sleep(100);
    subscription.unsubscribe();
    expect(released).toEqual(['unsent']);
    const next = firstValueFrom(exchange.public.ping());
    hole.open();
    expect(await next).toEqual(['pong']);
    await expect.poll(() => hole.requests).toEqual(['/api/v4/public/ping']);
  });

  it.each([
    ['it timed out', { timeoutMs: 200 }, { kind: 'timeout' }],
    ['validForMs, when its connection is made late', { validForMs: 200 }, { waitedFor: 'connection' }],
  ])('is never sent after %s', async (_, options, reason) => {
    const hole = await blackHole();
    const { exchange, released } = ordering({ baseUrl: hole.baseUrl, maxInFlight: 1 });
    const failure = failureOf(exchange.spot.placeStockMarketOrder(order, options));
    await sleep(300);
    hole.open();
    expect(await failure).toMatchObject({ ...reason, outcome: 'not-executed' });
    expect(released).toEqual(['unsent']);
    expect(await firstValueFrom(exchange.public.ping())).toEqual(['pong']);
    await expect.poll(() => hole.requests).toEqual(['/api/v4/public/ping']);
  });
});

it('a request whose handshake fails is not sent when it is unsubscribed during the handshake', async () => {
  const greeted: Socket[] = [];
  const port = await portOf(createTcpServer((socket) => socket.once('data', () => greeted.push(socket))));
  const { order$, released } = ordering({ baseUrl: `https://localhost:${port}` });
  const subscription = order$.subscribe();
  await expect.poll(() => greeted.length).toBe(1);
  subscription.unsubscribe();
  expect(released).toEqual(['unsent']);
});

it('a request that its transport sends although its time has passed may have been executed', async () => {
  const send: Transport['send'] = (_, { onSent }) => {
    const late = sleep(50)
      .then(onSent)
      .catch(() => undefined);
    return { response: late.then(() => Promise.reject(new Error('lost'))), abort: () => undefined };
  };
  const { exchange, released } = ordering({ transport: { send, reportsSent: true } });
  const order$ = exchange.spot.placeStockMarketOrder(order, { validForMs: 10 });
  expect(await failureOf(order$)).toMatchObject({ outcome: 'unknown' });
  expect(released).toEqual(['unknown']);
});
