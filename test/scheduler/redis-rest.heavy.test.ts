// Rate limits that are shared over a real Redis and not used: what holds meanwhile, and when they are used again.
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { granted, requestPermit } from '../support/permits.js';
import { hasRedisServer } from '../support/redis.js';
import {
  claims,
  lifeMs,
  limit,
  lossesFor,
  ownRedis,
  rateLimit,
  sharersFor,
  until,
  untilAtRest,
  use,
  windowMs,
  type Sharer,
} from '../support/sharing.js';

/** A Redis of its own, because tests delete its keys and count its commands. */
async function setup(context: TestContext) {
  const redis = await ownRedis(context);
  const client = new Redis(redis.port, '127.0.0.1');
  client.on('error', () => undefined);
  context.onTestFinished(() => {
    client.disconnect();
  });
  return { client, open: sharersFor(context, { url: redis.url }) };
}

/** Sends this many requests at once. Records when the exchange counts each: some time before its response. */
async function burst({ scheduler }: Sharer, counted: number[], count: number): Promise<void> {
  const request = () =>
    new Promise<void>((resolve) => {
      scheduler.acquire(rateLimit).subscribe((permit) => {
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

/** Commands that Redis processes per second, those inside scripts included, without those of the test. */
async function commandsPerSecond(client: Redis): Promise<number> {
  const commands = async () => {
    const calls = (await client.info('commandstats')).matchAll(/^cmdstat_\S+:calls=(\d+)/gm);
    return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const before = await commands();
  // Measured, because a loaded machine sleeps longer.
  const startedAt = performance.now();
  await sleep(1000);
  return (((await commands()) - before - 1) / (performance.now() - startedAt)) * 1000;
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
          await sleep([2 * lifeMs + windowMs + 300, 2 * lifeMs + windowMs - 20, 200][(round + index) % 3]);
          rests += (await claims(client)).filter(({ held }) => held === 0).length;
        }
      }),
    );
    expect(rests).toBeGreaterThan(1);
    expect(sent.length).toBeGreaterThan(500);
    expect(largestWindow(sent, windowMs)).toBeLessThanOrEqual(limit);
    expect(largestWindow(sent, windowMs)).toBeGreaterThan(0.9 * limit);
    expect(losses(all)).toEqual([]);
  });

  it('wait a whole lease life when their keys were deleted while they rested', async (context) => {
    const { expect } = context;
    const { client, open } = await setup(context);
    const [one, other] = [open(), open()];
    await use(one, [rateLimit, { ...rateLimit, name: 'kept' }]);
    await untilAtRest(client, 2);
    other.saturate(rateLimit, 100);
    await other.sends(100);
    await client.del(...(await client.keys('*:limits')));
    const deletedAt = performance.now();
    const sent: number[] = [];
    await burst(one, sent, 100);
    expect(Number(sent[0]) - deletedAt).toBeGreaterThan(lifeMs - 20);
    await sleep(1000);
    expect(largestWindow([...sent, ...other.sent], windowMs)).toBeLessThanOrEqual(limit);
  });

  it('are used again after a request that a queue of length 0 refused', async (context) => {
    const { client, open } = await setup(context);
    const { scheduler } = open({}, { maxQueued: 0 });
    const isGranted = () => {
      const requested = requestPermit(scheduler, { ...rateLimit, limit: 1000 });
      requested.permit?.release('responded');
      return requested.permit !== undefined;
    };
    await until(isGranted);
    await untilAtRest(client);
    context.expect(isGranted()).toBe(false);
    await until(isGranted);
  });

  it('are not deleted by Redis while their process is alive', async (context) => {
    const { client, open } = await setup(context);
    await use(open());
    await untilAtRest(client);
    const [key] = await client.keys('*:limits');
    await client.expire(String(key), 60);
    await until(async () => (await client.ttl(String(key))) > 86_000);
  });
});

// One after another: they keep the event loop busy, which can cost another test its leases.
describe.skipIf(!hasRedisServer)('rate limits that are shared and not used, alone', { timeout: 60_000 }, () => {
  it('return every permit to the other processes', async (context) => {
    const { client, open } = await setup(context);
    const losses = lossesFor(context, client);
    const [one, other] = [open(), open()];
    const large = { ...rateLimit, limit: 5000 };
    await use(one, [large]);
    await untilAtRest(client);
    const all = Array.from({ length: large.limit }, () =>
      requestPermit(other.scheduler, large, { priority: 'urgent' }),
    );
    await until(() => granted(all).every(Boolean));
    context.expect(losses([one])).toEqual([]);
  });

  it('cost fewer than 500 commands in each second, from the first: 130 rate limits, used once', async (context) => {
    const { expect } = context;
    const { client, open } = await setup(context);
    const one = open();
    const limits = Array.from({ length: 130 }, (_, index) => ({ name: `limit-${index}`, limit: 1000, windowMs: 2000 }));
    let isUsed = false;
    use(one, limits).then(
      () => (isUsed = true),
      () => undefined,
    );
    const perSecond: number[] = [];
    // They are used after a life of a lease, and rest after two more.
    for (let second = 0; second < 15; second += 1) perSecond.push(await commandsPerSecond(client));
    expect(isUsed).toBe(true);
    expect(Math.max(...perSecond)).toBeLessThan(500);
    expect(perSecond.at(-1)).toBeLessThan(10);
    expect(await claims(client)).toHaveLength(130);
  });
});
