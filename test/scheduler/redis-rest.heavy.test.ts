// Rate limits that are shared over a real Redis and not used: what holds meanwhile, and when they are used again.
import type { RateLimitUsage } from 'exchange-rx';
import { Redis } from 'ioredis';
import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, it, vi, type TestContext } from 'vitest';
import { connectRedis } from '../../src/scheduler/redis/connection.js';
import { leaseSizes } from '../../src/scheduler/permit-source.js';
import { leaseTimes, sharedSource } from '../../src/scheduler/redis/shared-source.js';
import {
  announcements,
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
import { hasRedisServer, lostAndJoined, startRedis, type RedisServer } from '../support/redis.js';

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
          rests += (await announcements(client)).filter((one) => one.includes('@')).length;
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
    const { beatMs } = leaseTimes({ ...slow, lateArrivalMs });
    await use(one, [slow]);
    for (let time = 0; time < 2; time += 1) {
      await untilAtRest();
      const requested = requestPermit(one.scheduler, slow);
      expect(requested.permit).toBeUndefined();
      const [requestedAt, before] = [performance.now(), await scripts()];
      // Counted in round trips of the test, half a window of them: a loaded machine slows these down too.
      let waits = 0;
      for (; requested.permit === undefined && waits < slow.windowMs / 2 / 10; waits += 1) {
        await sleep(10);
        await client.ping();
      }
      expect(requested.permit).toBeDefined();
      const sent = (await scripts()) - before;
      // One announces the limit, and two take a lease; those of the reserve and of a beat may come before. Each further
      // beat, on a loaded machine, announces the limit and reads two counts.
      const beats = Math.floor((performance.now() - requestedAt) / beatMs);
      expect(sent).toBeLessThanOrEqual(10 + 3 * beats);
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

  it('get the first permit again after Bottleneck has forgotten the process', async (context) => {
    const { expect } = context;
    const { client, open, untilAtRest } = await setup(context);
    const losses = lossesFor(context, client);
    const [one, other] = [open(), open()];
    other.saturate(rateLimit, 5);
    await use(one);
    await untilAtRest();
    // Ten seconds without a sign of life, and the next script of another process forgets a client.
    const [key] = await client.keys('*:all_client_last_seen');
    await until(async () => (await client.zcard(String(key))) === 1);
    await use(one);
    expect(await client.zcard(String(key))).toBe(2);
    expect(losses([one, other])).toEqual([]);
  });

  it('learn of a lower limit, so that the shares of all are of that one when Redis is down', async (context) => {
    const { expect } = context;
    const { redis, open, untilAtRest } = await setup(context);
    const [one, other] = [open({ whenRedisIsDown: { share: 0.5 } }), open({ whenRedisIsDown: { share: 0.5 } })];
    await use(one);
    await untilAtRest();
    other.saturate({ ...rateLimit, limit: 20 });
    await until(() => other.sent.length > 0);
    await sleep(1500);
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
    await until(async () => (await announcements(client)).length === 1);
    const one = open();
    const lower = open();
    await use(lower, [{ ...rateLimit, limit: 20 }]);
    await until(async () =>
      (await announcements(client)).some((text) => text.startsWith('20 0') && text.includes('@')),
    );
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

  it('learn of a cool-down at once', async (context) => {
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
    const keys = (await client.keys('*:test:*')).filter((key) => !key.endsWith(':server'));
    await client.del(...keys);
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

  it('notice that the key of the processes has the wrong type, and join again when the keys are deleted', async (context) => {
    const { client, open, untilAtRest } = await setup(context);
    const one = open();
    await use(one);
    await untilAtRest();
    const [key] = await client.keys('*:processes');
    await client.set(String(key), 'poison');
    await one.becomes('lost');
    await client.flushall();
    await one.becomes('joined', 2);
    await use(one);
  });

  it('report the whole limit as free, so that nobody waits for permits that nobody reads', async (context) => {
    const { expect } = context;
    const { open, untilAtRest } = await setup(context);
    const [one, other] = [open(), open()];
    await use(one);
    other.saturate(rateLimit, 200);
    await untilAtRest();
    expect(usageOf(one)).toMatchObject({ used: 0, free: rateLimit.limit });
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
    // A whole number of leases: a lease is granted as a whole.
    const large = { ...rateLimit, limit: 156 * leaseSizes.size };
    await use(one, [large]);
    await untilAtRest();
    const all = Array.from({ length: large.limit }, () => requestPermit(other.scheduler, large));
    await until(() => granted(all).every(Boolean));
    expect(losses([one])).toEqual([]);
  });

  it('keep both connections from being forgotten by the network, while no message is published', async (context) => {
    const { expect, onTestFinished } = context;
    const { client, open } = await setup(context);
    await client.ping();
    const setKeepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    onTestFinished(() => {
      setKeepAlive.mockRestore();
    });
    const one = open();
    await use(one);
    expect(setKeepAlive.mock.calls).toEqual([
      [true, 10_000],
      [true, 10_000],
    ]);
  });

  it('leave when a response to their waking is so late that their announcement may have expired', async (context) => {
    const { expect } = context;
    const { redis } = await setup(context);
    const { source, onWake, onFailure } = await restingSource(context, redis, (connection, wait) => ({
      ...connection,
      async announce(announcement, mode, clients) {
        const agreed = await connection.announce(announcement, mode, clients);
        if (mode === 'wake') wait(5000);
        return agreed;
      },
    }));
    source.main.want(1);
    await until(() => onWake.mock.calls.length + onFailure.mock.calls.length > 0);
    expect(onFailure).toHaveBeenCalledOnce();
    expect(onWake).not.toHaveBeenCalled();
    source.main.want(1);
    expect(source.main.requested).toBe(0);
  });

  it('are not deleted by Redis while their process is alive', async (context) => {
    const { expect } = context;
    const { redis, client, untilAtRest } = await setup(context);
    const { source, onFailure, wait } = await restingSource(context, redis);
    await untilAtRest();
    const keys = await client.keys('*:test:*');
    const soonest = async () => Math.min(...(await Promise.all(keys.map((key) => client.ttl(key)))));
    for (const key of keys) await client.expire(key, 60);
    source.keep();
    await sleep(100);
    expect(await soonest()).toBeLessThanOrEqual(60);
    wait(7 * 3_600_000);
    source.keep();
    await until(async () => (await soonest()) > 86_000);
    expect(onFailure).not.toHaveBeenCalled();
  });
});

type Connection = Awaited<ReturnType<typeof connectRedis>>;

/**
 * A source of permits that has gone to rest. Its clock goes on when the test waits.
 *
 * @param changed what the source has in place of the connection
 */
async function restingSource(
  { expect, onTestFinished }: TestContext,
  { port }: RedisServer,
  changed: (connection: Connection, wait: (ms: number) => void) => Connection = (connection) => connection,
) {
  const address = { host: '127.0.0.1', port, db: 0, isEncrypted: false };
  const nothing = () => undefined;
  const connection = await connectRedis(
    { ...address, username: undefined, password: undefined },
    'name',
    undefined,
    nothing,
  );
  const now = performance.now.bind(performance);
  let ahead = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  const wait = (ms: number) => {
    ahead += ms;
  };
  const [onRest, onWake, onFailure] = [vi.fn(), vi.fn(), vi.fn()];
  const hooks = { onGrant: nothing, onCoolDown: nothing, onLimit: nothing, onWake, onRest, onFailure };
  const terms = { ...rateLimit, reserved: 4, lateArrivalMs };
  const source = sharedSource(changed(connection, wait), 'name', 'token', terms, hooks);
  onTestFinished(() => {
    vi.restoreAllMocks();
    source.close();
    connection.close();
  });
  await source.ready();
  wait(2 * leaseMs + 10);
  source.beat();
  expect(onRest).toHaveBeenCalledOnce();
  return { source, onWake, onFailure, wait };
}
