// Three processes behind one address share the limits over Redis; one is killed, then Redis is stopped and started
// again.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedisServer, lostAndJoined, startRedis, type RedisServer } from '../support/redis.js';
import { start, type Child } from '../support/children.js';
import type { ClientReport } from './client.js';
import type { ExchangeOpened, ExchangeReport } from './exchange.js';
import { percent, sum, type Row } from '../support/figures.js';
import { report } from './report.js';

/** Seconds after the clients were started. They first wait until Redis has been up for the life of a lease, 19.5 s. */
const times = { full: 25, killed: 55, redisStopped: 85, redisStarted: 88, end: 125 };

describe.skipIf(!hasRedisServer)('three processes', () => {
  let redis: RedisServer;
  let exchange: Child;
  let opened: ExchangeOpened;

  beforeAll(async () => {
    redis = await startRedis();
    exchange = start(new URL('exchange.ts', import.meta.url), {
      accounts: ['one a', 'one b', 'two a', 'two b', 'three a', 'three b'],
    });
    opened = await exchange.ask<ExchangeOpened>();
  });
  afterAll(async () => {
    exchange.process.kill();
    await redis.stop();
  });

  it('share the limits, through a kill and a restart of Redis, and meet no 429', async () => {
    const since = Date.now();
    const at = (second: number) => sleep(since + second * 1000 - Date.now());
    const keys = [0, 2, 4].map((first) => opened.clients.slice(first, first + 2));
    const clients = keys.map((own) =>
      start(new URL('client.ts', import.meta.url), { clients: own, seconds: times.end, redisUrl: redis.url }),
    );
    const [killed, ...others] = clients;
    const reports = Promise.all(others.map((client) => client.ask<ClientReport>()));

    await at(times.killed);
    killed?.process.kill('SIGKILL');
    await at(times.redisStopped);
    await redis.stop();
    await at(times.redisStarted);
    await redis.start();
    const told = await reports;
    const seen = await exchange.ask<ExchangeReport>({});

    /** The share of each limit between these seconds. */
    const share = (figure: string, from: number, to: number): Row => {
      const perSecond = { stockMarket: 1000, public: 200 };
      const shares = (['stockMarket', 'public'] as const).map((group) => {
        const offset = Math.round((since - seen[group].since) / 1000);
        return percent(sum(seen[group].bySecond.slice(from + offset, to + offset)) / ((to - from) * perSecond[group]));
      });
      return [figure, ...shares];
    };
    report(
      'Three processes over Redis, one killed, then Redis restarted',
      ['', 'stock market orders', 'public'],
      [
        share('share of the limit, all three', times.full, times.killed),
        share('in the 20 s after one was killed', times.killed, times.killed + 20),
        share('in the 10 s after that', times.killed + 20, times.redisStopped),
        share(
          'while Redis is away, and until nothing from before can count',
          times.redisStopped + 1,
          times.redisStarted + 18,
        ),
        share('after that: 15 s that begin with every permit free', times.redisStarted + 21, times.end - 1),
        ['largest window of 10 s, in all', `${seen.stockMarket.largestWindow}`, `${seen.public.largestWindow}`],
        ['429', `${seen.stockMarket.rateLimited}`, `${seen.public.rateLimited}`],
        [
          'requests that timed out',
          ...(['orders', 'pings'] as const).map((kind) => `${sum(told.map((client) => client[kind]['timeout'] ?? 0))}`),
        ],
        [
          'CPU of a client, µs a request',
          ...told.map(({ orders, pings, cpuMicros }) =>
            (cpuMicros / ((orders['ok'] ?? 0) + (pings['ok'] ?? 0))).toFixed(0),
          ),
        ],
        ['longest a client stood still', ...told.map(({ maxStandstillMs }) => `${maxStandstillMs.toFixed(0)} ms`)],
        [
          'times a client lost Redis, and why',
          ...told.map(({ sharing }) =>
            sharing.flatMap(({ state, reason }) => (state === 'lost' ? [reason] : [])).join('; '),
          ),
        ],
      ],
    );

    expect([seen.stockMarket.rateLimited, seen.public.rateLimited]).toEqual([0, 0]);
    expect(seen.stockMarket.largestWindow).toBeLessThanOrEqual(10_000);
    expect(seen.public.largestWindow).toBeLessThanOrEqual(2000);
    expect(seen.identifiers).toBe(seen.orders);
    for (const { orders, pings, sharing } of told) {
      expect({ ...orders, ...pings }).not.toHaveProperty('rate-limited');
      expect(sharing.map(({ state }) => state).join(' ')).toMatch(lostAndJoined);
    }
  });
});
