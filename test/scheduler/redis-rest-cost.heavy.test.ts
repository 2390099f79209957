// What rate limits that are shared over a real Redis cost while no request waits. In a file of its own, because 130 rate
// limits that join keep the event loop busy, which can cost another test its leases.
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { claims, limitsOf, lossesWithoutPause, sharersFor, untilAtRest, use } from '../hostile/redis-tenant.js';
import { hasRedisServer, startRedis } from '../support/redis.js';

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

const options = { concurrent: true, timeout: 120_000 };

describe.skipIf(!hasRedisServer)('rate limits that are shared and not used', options, () => {
  it('cost fewer than 500 commands in each second, from the first: 130 rate limits, used once', async (context) => {
    const { expect } = context;
    const redis = await startRedis();
    const client = new Redis(redis.port, '127.0.0.1');
    context.onTestFinished(async () => {
      client.disconnect();
      await redis.stop();
    });
    const one = sharersFor(context, { url: redis.url })();
    const used = limitsOf(130);
    let isUsed = false;
    use(one, used).then(
      () => (isUsed = true),
      () => undefined,
    );
    const perSecond: number[] = [];
    // They are used after a life of a lease, and rest after two more.
    for (let second = 0; second < 20; second += 1) perSecond.push(await commandsPerSecond(client, 1000));
    expect(isUsed).toBe(true);
    expect(Math.max(...perSecond)).toBeLessThan(500);
    expect(lossesWithoutPause(one)).toEqual([]);
    expect(await claims(client)).toHaveLength(130);
  });

  it.for([1, 130])('cost fewer than 10 commands a second together: %d rate limits', async (count, context) => {
    const { expect } = context;
    const redis = await startRedis();
    const client = new Redis(redis.port, '127.0.0.1');
    context.onTestFinished(async () => {
      client.disconnect();
      await redis.stop();
    });
    const one = sharersFor(context, { url: redis.url })();
    await use(one, limitsOf(count));
    await untilAtRest(client, count);
    const before = one.events.length;
    expect(await commandsPerSecond(client, 4000)).toBeLessThan(10);
    expect(one.events.slice(before)).toEqual([]);
    // While all are in use, a loaded machine may cost them a lease.
    expect(lossesWithoutPause(one)).toEqual([]);
  });
});
