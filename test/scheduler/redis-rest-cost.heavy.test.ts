// What rate limits that are shared over a real Redis cost while no request waits. In a file of its own, because 130 rate
// limits that join keep the event loop busy, which can cost another test its leases.
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { announcements, limitsOf, lossesWithoutPause, sharersFor, untilAtRest, use } from '../hostile/redis-tenant.js';
import { hasRedisServer, startRedis } from '../support/redis.js';

async function commands(client: Redis): Promise<number> {
  return Number(/^total_commands_processed:(\d+)/m.exec(await client.info('stats'))?.[1]);
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
  it('cost fewer than 500 commands a second together before they rest: 130 rate limits, used once', async (context) => {
    const { expect } = context;
    const redis = await startRedis();
    const client = new Redis(redis.port, '127.0.0.1');
    context.onTestFinished(async () => {
      client.disconnect();
      await redis.stop();
    });
    const one = sharersFor(context, { url: redis.url })();
    await use(
      one,
      limitsOf(130).map((each) => ({ ...each, windowMs: 10_000 })),
    );
    await sleep(5000);
    // A multiple of six beats: every third and every sixth beat costs more.
    expect(await commandsPerSecond(client, 11_400)).toBeLessThan(500);
    expect(lossesWithoutPause(one)).toEqual([]);
    expect(await announcements(client)).toHaveLength(130);
    expect((await announcements(client)).filter((announced) => announced.includes('@'))).toEqual([]);
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
