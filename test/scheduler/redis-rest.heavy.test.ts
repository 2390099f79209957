// Rate limits that are shared over a real Redis and not used: what holds meanwhile, and when they are used again.
import type { RateLimitUsage } from 'exchange-rx';
import { Redis } from 'ioredis';
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, it, type TestContext } from 'vitest';
import {
  claims,
  lateArrivalMs,
  limitsOf,
  lossesFor,
  rateLimit,
  sharersFor,
  until,
  untilAtRest,
  use,
  type Sharer,
} from '../hostile/redis-tenant.js';
import { largestWindow } from '../support/largest-window.js';
import { granted, requestPermit } from '../support/permits.js';
import { hasRedisServer, lostAndJoined, startRedis } from '../support/redis.js';

const { windowMs } = rateLimit;
/** A lease lives for 975 ms: a rate limit rests when it was not used for twice as long. */
const leaseMs = 975;
const replicaProgram = fileURLToPath(new URL('../hostile/redis-replica.ts', import.meta.url));

/** A Redis of its own, because tests stop it, flush it and count its scripts while others run. */
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

    /** How many scripts Redis was sent. */
    scripts: async (): Promise<number> => {
      const calls = (await client.info('commandstats')).matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm);
      return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
    },

    /** A process of its own that sends without pause; it can be killed. */
    replica: (limit: number): ChildProcess => {
      const words = [redis.url, 'exchange-rx', limit, windowMs, lateArrivalMs].map(String);
      const child = spawn(process.execPath, ['--import', 'tsx', replicaProgram, ...words], { stdio: 'ignore' });
      context.onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    },
  };
}

function usageOf({ scheduler }: Sharer): RateLimitUsage | undefined {
  let usage: RateLimitUsage | undefined;
  scheduler.usage$.subscribe(([one]) => (usage = one)).unsubscribe();
  return usage;
}

/** Sends this many requests at once. Records when the exchange counts each: some time before its response. */
async function burst({ scheduler }: Sharer, counted: number[], count: number): Promise<void> {
  const request = () =>
    new Promise<void>((resolve) => {
      scheduler.acquire(rateLimit).subscribe((permit) => {
        setTimeout(() => counted.push(performance.now()), Math.random() * 40);
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
    const endsAt = performance.now() + 25_000;
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
    expect(rests).toBeGreaterThan(3);
    expect(sent.length).toBeGreaterThan(1500);
    expect(largestWindow(sent, windowMs)).toBeLessThanOrEqual(rateLimit.limit);
    expect(largestWindow(sent, windowMs)).toBeGreaterThan(0.9 * rateLimit.limit);
    expect(losses(all)).toEqual([]);
  });

  it('get the first permit again within a few round trips', async (context) => {
    const { expect } = context;
    const { client, open, untilAtRest, scripts } = await setup(context);
    const losses = lossesFor(context, client);
    const one = open();
    const [slow] = limitsOf(1);
    if (slow === undefined) throw new Error('no rate limit');
    await use(one, [slow]);
    for (let time = 0; time < 2; time += 1) {
      await untilAtRest();
      const requested = requestPermit(one.scheduler, slow);
      expect(requested.permit).toBeUndefined();
      const before = await scripts();
      // Counted in round trips of the test, half a window of them: a loaded machine slows these down too.
      let waits = 0;
      for (; requested.permit === undefined && waits < slow.windowMs / 2 / 10; waits += 1) {
        await sleep(10);
        await client.ping();
      }
      expect(requested.permit).toBeDefined();
      // One claims the permit. A beat may come before, and the claim of the hand after.
      expect((await scripts()) - before).toBeLessThanOrEqual(4 + waits);
      requested.permit?.release('responded');
    }
    expect(losses([one])).toEqual([]);
  });

  it('no longer lower a limit ten seconds after their process was killed', async (context) => {
    const { expect, onTestFinished } = context;
    const { redis, open, untilAtRest } = await setup(context);
    const lower = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        '--input-type=module',
        '-e',
        `
        import { createScheduler } from ${JSON.stringify(fileURLToPath(new URL('../../src/index.ts', import.meta.url)))};
        import { shareOverRedis } from ${JSON.stringify(fileURLToPath(new URL('../../src/scheduler/redis/index.ts', import.meta.url)))};
        const scheduler = createScheduler({ lateArrivalMs: ${lateArrivalMs}, redis: shareOverRedis({ url: '${redis.url}' }) });
        scheduler.acquire({ name: 'test', limit: 20, windowMs: ${windowMs} }).subscribe((permit) => permit.release('responded'));
        setInterval(() => undefined, 1000);
        `,
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    onTestFinished(() => void lower.kill('SIGKILL'));
    await untilAtRest();
    const one = open();
    one.saturate(rateLimit, 50);
    await until(() => one.sent.length > 20);
    lower.kill('SIGKILL');
    const killedAt = performance.now();
    await until(() => one.events.some(({ reason }) => reason.includes('is 200 again')));
    expect(performance.now() - killedAt).toBeGreaterThan(8000);
  });

  it('notice that Redis was stopped, and join again', async (context) => {
    const { redis, open, untilAtRest } = await setup(context);
    const one = open({ whenRedisIsDown: { share: 0.25 } });
    await use(one);
    await untilAtRest();
    await redis.stop();
    await one.becomes('lost');
    await one.becomes('alone');
    await redis.start();
    await one.becomes('joined', 2);
    await use(one);
  });

  it('learn of a lower limit, so that the shares of all are of that one when Redis is down', async (context) => {
    const { expect } = context;
    const { redis, open, untilAtRest } = await setup(context);
    const [one, other] = [open({ whenRedisIsDown: { share: 0.5 } }), open({ whenRedisIsDown: { share: 0.5 } })];
    await use(one);
    await untilAtRest();
    other.saturate({ ...rateLimit, limit: 20 });
    await until(() => other.sent.length > 0);
    // A process whose rate limits rest reads the others' limits every two seconds.
    await sleep(3000);
    await redis.stop();
    one.saturate();
    await Promise.all([one.becomes('alone'), other.becomes('alone')]);
    const aloneAt = performance.now();
    await sleep(2000);
    const sent = [...one.sent, ...other.sent].filter((at) => at >= aloneAt);
    expect(sent.length).toBeGreaterThan(10);
    expect(largestWindow(sent, windowMs)).toBeLessThanOrEqual(20);
  });

  it('keep a lower limit in force for the others, until their process is gone', async (context) => {
    const { expect } = context;
    const { client, open, replica } = await setup(context);
    const child = replica(50);
    await until(async () => (await claims(client)).length === 1);
    const one = open();
    const lower = open();
    await use(lower, [{ ...rateLimit, limit: 20 }]);
    await until(async () => (await claims(client)).some(({ limit, held }) => limit === 20 && held === 0));
    child.kill('SIGKILL');
    one.saturate(rateLimit, 50);
    const isLow = () =>
      one.events.some(({ reason }) => reason.includes('is 20 instead of 200, because another process announces'));
    await until(isLow);
    await sleep(4000);
    expect(largestWindow(one.sent, windowMs)).toBeLessThanOrEqual(20);
    expect(one.events.some(({ reason }) => reason.includes('is 200 again'))).toBe(false);
  });

  it('notice that Redis does not respond', async (context) => {
    const { expect } = context;
    const { client, open, untilAtRest } = await setup(context);
    const one = open();
    await use(one);
    await untilAtRest();
    await client.call('CLIENT', 'PAUSE', '20000', 'ALL');
    await one.becomes('lost');
    expect(one.events.at(-1)?.reason).toContain('Redis did not respond');
  });

  it('respect a cool-down that another process announced while they rested', async (context) => {
    const { expect } = context;
    const { open, untilAtRest } = await setup(context);
    const [one, other] = [open(), open()];
    await Promise.all([use(one), use(other)]);
    await untilAtRest(2);
    other.scheduler.acquire(rateLimit).subscribe((permit) => {
      permit.release('rate-limited', 2500);
    });
    await until(() => other.coolDownUntil() !== undefined);
    const endsAt = performance.now() + Number(other.coolDownUntil()) - Date.now();
    await sleep(200);
    const sent: number[] = [];
    await burst(one, sent, 1);
    expect(Number(sent[0])).toBeGreaterThan(endsAt - 5);
  });

  it('learn of a cool-down without a request of their own', async (context) => {
    const { open, untilAtRest } = await setup(context);
    const [one, other] = [open(), open()];
    await Promise.all([use(one), use(other)]);
    const held = requestPermit(one.scheduler, rateLimit);
    await until(() => held.permit !== undefined);
    await untilAtRest(1);
    held.permit?.release('rate-limited', 3000);
    await until(() => other.coolDownUntil() !== undefined);
  });

  it('wait a whole lease life when Redis was flushed while they rested', async (context) => {
    const { expect } = context;
    const { client, open, untilAtRest } = await setup(context);
    const one = open();
    await use(one);
    await untilAtRest();
    await client.flushall();
    const flushedAt = performance.now();
    await one.becomes('lost');
    const sent: number[] = [];
    await burst(one, sent, 1);
    expect(Number(sent[0]) - flushedAt).toBeGreaterThan(leaseMs - 20);
    expect(one.events.map(({ state }) => state).join(' ')).toMatch(lostAndJoined);
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

  it('notice that the primary became a replica', async (context) => {
    const { expect } = context;
    const { client, open, untilAtRest } = await setup(context);
    const one = open();
    await use(one);
    await untilAtRest();
    await client.call('REPLICAOF', '127.0.0.1', '1');
    await one.becomes('lost');
    expect(one.events.at(-1)?.reason).toContain('replica');
  });

  it('notice that their key has the wrong type, and join again when the keys are deleted', async (context) => {
    const { client, open, untilAtRest } = await setup(context);
    const one = open();
    await use(one);
    await untilAtRest();
    const [key] = await client.keys('*:limits');
    await client.set(String(key), 'poison');
    await one.becomes('lost');
    await client.flushall();
    await one.becomes('joined', 2);
    await use(one);
  });

  it('report the permits that the other processes leave free', async (context) => {
    const { open, untilAtRest } = await setup(context);
    const [one, other] = [open(), open()];
    await use(one);
    other.saturate(rateLimit, 200);
    await untilAtRest();
    await until(() => Number(usageOf(one)?.free) < rateLimit.limit / 4);
    other.stop();
    await until(() => usageOf(one)?.free === rateLimit.limit);
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
    const [one, other] = [open({}, { urgentShare: 0 }), open({}, { urgentShare: 0 })];
    const large = { ...rateLimit, limit: 5000 };
    await use(one, [large]);
    await untilAtRest();
    const all = Array.from({ length: large.limit }, () => requestPermit(other.scheduler, large));
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
});
