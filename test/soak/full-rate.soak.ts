// One client at the full rate of both limits.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { start, type Child } from '../support/children.js';
import type { ClientReport } from './client.js';
import type { ExchangeOpened, ExchangeReport } from './exchange.js';
import { megabytes, percent, sum, type Row } from '../support/figures.js';
import { report } from './report.js';

/** A minute is recorded. Half a minute detects a window above the limit, and a rate below it, just as well. */
const seconds = process.env['RECORD'] === 'true' ? 60 : 30;
let exchange: Child;
let opened: ExchangeOpened;

beforeAll(async () => {
  exchange = start(new URL('exchange.ts', import.meta.url), { accounts: ['one', 'other'] });
  opened = await exchange.ask<ExchangeOpened>();
});
afterAll(() => {
  exchange.process.kill();
});

it('a saturated client gets no 429, and every request has one result', async () => {
  const reported = await start(new URL('client.ts', import.meta.url), {
    clients: opened.clients,
    seconds,
  }).ask<ClientReport>();
  const seen = await exchange.ask<ExchangeReport>({});
  const sent = reported.orders['ok'] ?? 0;
  const requests = sent + (reported.pings['ok'] ?? 0);

  const both = (figure: string, read: (limit: ExchangeReport['public'], perSecond: number) => string): Row => [
    ...[figure, read(seen.stockMarket, 1000), read(seen.public, 200)],
  ];
  const within = (bySecond: readonly number[]) => sum(bySecond.slice(0, seconds));
  const inBetween = (bySecond: readonly number[]) => sum(bySecond.slice(10, seconds - 10));
  const thirds = `${seconds / 3}, ${(2 * seconds) / 3} and ${seconds} s`;
  report(
    seconds === 60 ? 'One process, one minute' : 'One process, half a minute',
    ['', 'stock market orders', 'public'],
    [
      ['limit', '10000 / 10 s', '2000 / 10 s'],
      both(`requests in ${seconds} s`, ({ bySecond }) => `${within(bySecond)}`),
      both('share of the limit', ({ bySecond }, perSecond) => percent(within(bySecond) / (perSecond * seconds))),
      both(`from the 10th to the ${seconds - 10}th second`, ({ bySecond }, perSecond) =>
        percent(inBetween(bySecond) / (perSecond * (seconds - 20))),
      ),
      both('largest window of 10 s', ({ largestWindow }) => `${largestWindow}`),
      both('429', ({ rateLimited }) => `${rateLimited}`),
      ['requests that timed out', `${reported.orders['timeout'] ?? 0}`, `${reported.pings['timeout'] ?? 0}`],
      ['latency from sending to the response, mean', `${reported.meanLatencyMs.toFixed(0)} ms`, ''],
      ['CPU of the client, µs per request', (reported.cpuMicros / requests).toFixed(0), ''],
      [`heap in use after ${thirds}`, reported.heap.slice(0, 3).map(megabytes).join(', '), ''],
      [`resident memory after ${thirds}`, reported.rss.slice(0, 3).map(megabytes).join(', '), ''],
      [
        'event-loop delay, p99 and maximum',
        `${reported.eventLoopDelayP99Ms.toFixed(0)} ms, ${reported.maxStandstillMs.toFixed(0)} ms`,
        '',
      ],
    ],
  );

  expect([seen.stockMarket.rateLimited, seen.public.rateLimited]).toEqual([0, 0]);
  expect(seen.stockMarket.largestWindow).toBeLessThanOrEqual(10_000);
  expect(seen.public.largestWindow).toBeLessThanOrEqual(2000);
  expect(seen.identifiers).toBe(seen.orders);
  // On a busy machine requests time out, or arrive with an expired nonce: callers get these errors, and no order is lost.
  const { ok = 0, timeout = 0, api: _refused, 'not-placed': _absent, ...others } = reported.orders;
  expect(others).toEqual({});
  expect(seen.orders).toBeGreaterThanOrEqual(ok);
  expect(seen.orders).toBeLessThanOrEqual(ok + timeout);
  expect(sum(seen.stockMarket.bySecond)).toBeLessThanOrEqual(reported.sentOrders);
  expect(Object.keys(reported.pings).filter((kind) => kind !== 'ok' && kind !== 'timeout')).toEqual([]);
  // Three times as many requests have ended as after one third: memory that grows per request would have tripled.
  expect(reported.heap[2] ?? 0).toBeLessThan((reported.heap[0] ?? 0) * 1.5 + 16 * 2 ** 20);
});
