// Rate limits that are shared over a real Redis and not used: what holds meanwhile, and when they are used again.
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it, type TestContext } from 'vitest';
import {
  claims,
  limitsOf,
  lossesFor,
  rateLimit,
  sharersFor,
  until,
  untilAtRest,
  use,
  type Sharer,
  lossesWithoutPause,
} from '../hostile/redis-tenant.js';
import { largestWindow } from '../support/largest-window.js';
import { granted, requestPermit } from '../support/permits.js';
import { hasRedisServer, startRedis } from '../support/redis.js';

const { windowMs } = rateLimit;
/** A lease lives for 975 ms: a rate limit rests when it was not used for twice as long. */
const leaseMs = 975;

/** A Redis of its own, because tests delete its keys and count its commands. */
async function setup(context: TestContext) {
  const redis = await startRedis();
  const client = new Redis(redis.port, '127.0.0.1');
  client.on('error', () => undefined);
  context.onTestFinished(async () => {
    client.disconnect();
    await redis.stop();
  });

  return {
    redis,
    client,
    open: sharersFor(context, { url: redis.url }),
    untilAtRest: (count?: number) => untilAtRest(client, count),
  };
}

/** Sends this many requests at once. Records when the exchange counts each: some time before its response. */
async function burst({ scheduler }: Sharer, counted: number[], count: number): Promise<void> {
  const request = () =>
    new Promise<void>((resolve) => {
      scheduler.acquire(rateLimit).subscribe((permit) => {
        // It arrives before its response, however late the timers of a loaded machine fire.
        counted.push(performance.now() + Math.random() * 30);
        setTimeout(
          () => {
            permit.release('responded');
            resolve();
          },
          40 + Math.random() * 10,
        );
      });
    });
  await Promise.all(Array.from({ length: count }, request));
}

/** Commands that Redis processed, those inside scripts included. */
async function commands(client: Redis): Promise<number> {
  const calls = (await client.info('commandstats')).matchAll(/^cmdstat_\S+:calls=(\d+)/gm);
  return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Commands that Redis processed per second, for at least this time, without those of the test. */
async function commandsPerSecond(client: Redis, ms: number): Promise<number> {
  const before = await commands(client);
  // Measured, because a loaded machine sleeps longer.
  const startedAt = performance.now();
  await sleep(ms);
  return (((await commands(client)) - before - 1) / (performance.now() - startedAt)) * 1000;
}

// The longest tests start first: one that started last would run on when the others have ended.
const concurrently = { concurrent: true, shuffle: false, timeout: 60_000 };

describe.skipIf(!hasRedisServer)('rate limits that are shared and not used', concurrently, () => {
  it('never exceed the limit together in any window, while processes rest and wake in turn', async (context) => {
    const { expect } = context;
    const { client, open } = await setup(context);
    const losses = lossesFor(context, client);
    const all = [open(), open(), open()];
    const sent: number[] = [];
    await Promise.all(all.map((each) => use(each)));
    const endsAt = performance.now() + 12_000;
    let rests = 0;
    await Promise.all(
      all.map(async (each, index) => {
        for (let round = 0; performance.now() < endsAt; round += 1) {
          await burst(each, sent, 150);
          // Sometimes long enough to rest, sometimes just about, sometimes not.
          await sleep([2 * leaseMs + windowMs + 300, 2 * leaseMs + windowMs - 20, 200][(round + index) % 3]);
          rests += (await claims(client)).filter(({ held }) => held === 0).length;
        }
      }),
    );
    expect(rests).toBeGreaterThan(1);
    expect(sent.length).toBeGreaterThan(700);
    expect(largestWindow(sent, windowMs)).toBeLessThanOrEqual(rateLimit.limit);
    expect(largestWindow(sent, windowMs)).toBeGreaterThan(0.9 * rateLimit.limit);
    expect(losses(all)).toEqual([]);
  });

  it('wait a whole lease life when their keys were deleted while they rested', async (context) => {
    const { expect } = context;
    const { client, open, untilAtRest } = await setup(context);
    const [one, other] = [open(), open()];
    const limits = [rateLimit, { ...rateLimit, name: 'kept' }];
    await use(one, limits);
    await untilAtRest(2);
    other.saturate(rateLimit, 100);
    await until(() => other.sent.length > 100);
    await client.del(...(await client.keys('*:limits')));
    const deletedAt = performance.now();
    const sent: number[] = [];
    await burst(one, sent, 100);
    expect(Number(sent[0]) - deletedAt).toBeGreaterThan(leaseMs - 20);
    await sleep(1000);
    expect(largestWindow([...sent, ...other.sent], windowMs)).toBeLessThanOrEqual(rateLimit.limit);
  });

  it('are used again after a request that a queue of length 0 refused', async (context) => {
    const { expect } = context;
    const { open, untilAtRest } = await setup(context);
    const large = { ...rateLimit, limit: 1000 };
    const one = open({}, { maxQueued: 0 });
    const isGranted = () => {
      const requested = requestPermit(one.scheduler, large);
      requested.permit?.release('responded');
      return requested.permit !== undefined;
    };
    await until(isGranted);
    await untilAtRest();
    expect(isGranted()).toBe(false);
    await until(isGranted);
  });
});

// One after another: they replace methods that every test uses, or keep the event loop busy, which can cost another test
// its leases.
describe.skipIf(!hasRedisServer)('rate limits that are shared and not used, alone', { timeout: 60_000 }, () => {
  it('return every permit to the other processes', async (context) => {
    const { expect } = context;
    const { client, open, untilAtRest } = await setup(context);
    const losses = lossesFor(context, client);
    const [one, other] = [open(), open()];
    const large = { ...rateLimit, limit: 5000 };
    await use(one, [large]);
    await untilAtRest();
    const all = Array.from({ length: large.limit }, () =>
      requestPermit(other.scheduler, large, { priority: 'urgent' }),
    );
    await until(() => granted(all).every(Boolean));
    expect(losses([one])).toEqual([]);
  });

  it('are not deleted by Redis while their process is alive', async (context) => {
    const { client, open, untilAtRest } = await setup(context);
    await use(open());
    await untilAtRest();
    const [key] = await client.keys('*:limits');
    await client.expire(String(key), 60);
    await until(async () => (await client.ttl(String(key))) > 86_000);
  });

  it('cost fewer than 500 commands in each second, from the first: 130 rate limits, used once', async (context) => {
    const { expect } = context;
    const { client, open } = await setup(context);
    const one = open();
    let isUsed = false;
    use(one, limitsOf(130)).then(
      () => (isUsed = true),
      () => undefined,
    );
    const perSecond: number[] = [];
    // They are used after a life of a lease, and rest after two more.
    for (let second = 0; second < 15; second += 1) perSecond.push(await commandsPerSecond(client, 1000));
    expect(isUsed).toBe(true);
    expect(Math.max(...perSecond)).toBeLessThan(500);
    expect(perSecond.at(-1)).toBeLessThan(10);
    expect(lossesWithoutPause(one)).toEqual([]);
    expect(await claims(client)).toHaveLength(130);
  });
});
