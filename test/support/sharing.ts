// Processes that share limits over a real Redis, in short windows, and a tenant of the same Redis who can write to their
// keys. What tests assert are counts and states, never speeds.
import { createScheduler, type RateLimit, type RateLimitUsage, type SchedulerOptions } from 'exchange-rx';
import { shareOverRedis, type RedisOptions } from 'exchange-rx/redis';
import { Redis } from 'ioredis';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { filter } from 'rxjs';
import { afterAll, beforeAll, vi, type TestContext } from 'vitest';
import type { SharingEvent } from '../../src/scheduler/index.js';
import { granted, requestPermit } from './permits.js';
import { hasRedisServer, startRedis, type RedisServer } from './redis.js';

/** Short, so that permits are back soon. */
export const rateLimit: RateLimit = { name: 'test', limit: 200, windowMs: 500 };
export const { limit, windowMs } = rateLimit;
export const lateArrivalMs = 500;
/** Permits count for this time after the last call of their process. */
export const lifeMs = 975;

export type Sharer = ReturnType<typeof sharer>;

function sharer(redis: RedisOptions, options: SchedulerOptions) {
  const scheduler = createScheduler({ lateArrivalMs, ...options, redis: shareOverRedis(redis) });
  const events: SharingEvent[] = [];
  const sent: number[] = [];
  const states = () => events.map(({ state }) => state);
  let isOver = false;
  scheduler.events$.pipe(filter((event) => event.type === 'sharing')).subscribe((event) => events.push(event));
  return {
    scheduler,
    events,
    states,
    /** When requests were sent, by `performance.now()`. */
    sent,
    /** Resolves when it has entered this state this number of times. */
    becomes: (state: SharingEvent['state'], times = 1) =>
      until(() => states().filter((one) => one === state).length >= times),
    /** Sends without pause, this number of requests at a time. */
    saturate: (which: RateLimit | readonly RateLimit[] = rateLimit, loops = 50) => {
      const next = () => {
        if (isOver) return;
        scheduler.acquire(which).subscribe((permit) => {
          // It arrives before its response, however late the timers of a loaded machine fire.
          sent.push(performance.now() + Math.random() * 5);
          setTimeout(() => {
            permit.release('responded');
            next();
          }, 5);
        });
      };
      for (let loop = 0; loop < loops; loop += 1) next();
    },
    sends: async (count: number) => {
      const before = sent.length;
      await until(() => sent.length >= before + count);
    },
    stop: () => {
      isOver = true;
    },
    usage: () => {
      let first: RateLimitUsage | undefined;
      scheduler.usage$.subscribe(([usage]) => (first = usage)).unsubscribe();
      return first;
    },
  };
}

/** Makes sharers of one name on one server; all stop when the test is over. */
export function sharersFor({ onTestFinished }: TestContext, redis: RedisOptions) {
  return (options: Partial<RedisOptions> = {}, schedulerOptions: SchedulerOptions = {}): Sharer => {
    const one = sharer({ ...redis, ...options }, schedulerOptions);
    onTestFinished(one.stop);
    return one;
  };
}

/** A Redis that stops when the test is over, for tests that stop it, or change its settings. */
export async function ownRedis({ onTestFinished }: TestContext, options?: readonly string[]): Promise<RedisServer> {
  const redis = await startRedis(options);
  onTestFinished(() => redis.stop());
  return redis;
}

/** One Redis for the tests of a file. Returns a set-up, which has a name of its own, and a tenant who knows it. */
export function sharedRedis(): (context: TestContext, server?: RedisServer) => ReturnType<typeof tenancy> {
  let redis: RedisServer;
  let names = 0;
  beforeAll(async () => {
    if (hasRedisServer) redis = await startRedis();
  });
  afterAll(async () => {
    if (hasRedisServer) await redis.stop();
  });
  return (context, server = redis) => {
    names += 1;
    return tenancy(context, server, `name-${names}`);
  };
}

function tenancy(context: TestContext, { url, port }: RedisServer, name: string) {
  const tenant = new Tenant(port, name);
  context.onTestFinished(() => {
    tenant.redis.disconnect();
  });
  return { name, tenant, open: sharersFor(context, { url, name }), spawn: replicasFor(context, url, name) };
}

/** Starts processes of their own that send without pause; they can be killed. */
function replicasFor({ onTestFinished }: TestContext, url: string, name: string) {
  const program = fileURLToPath(new URL('../hostile/redis-replica.ts', import.meta.url));
  return (of: RateLimit, clockStepMs?: number) => {
    const words = [url, name, of.limit, of.windowMs, lateArrivalMs, clockStepMs ?? ''].map(String);
    const child = spawn(process.execPath, ['--import', 'tsx', program, ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    /** By `performance.now()` of this process. */
    const sent: number[] = [];
    const lost: string[] = [];
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines)
        if (/^\d/.test(line)) sent.push(Number(line) - performance.timeOrigin);
        else lost.push(line);
    });
    return { sent, lost, kill: () => child.kill('SIGKILL') };
  };
}

/** Tests that run side by side cannot use `expect.poll`. */
export function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  return vi.waitFor(
    async () => {
      if (!(await isSo())) throw new Error('not yet');
    },
    { timeout: 50_000, interval: 10 },
  );
}

/** Requests one permit of each, and releases them when all are granted. */
export async function use({ scheduler }: Sharer, limits: readonly RateLimit[] = [rateLimit]): Promise<void> {
  const all = limits.map((one) => requestPermit(scheduler, one));
  await until(() => granted(all).every(Boolean));
  for (const { permit } of all) permit?.release('responded');
}

/** What the processes of all names claim of their rate limits: the permits that they hold. */
export async function claims(client: Redis) {
  const all = await Promise.all((await client.keys('*:limits')).map((key) => client.hgetall(key)));
  return all.flatMap(({ server: _, ...records }) =>
    Object.values(records).flatMap((record) =>
      record
        .split('\n')
        .slice(1)
        .map((line) => {
          const [name = '', , , , held] = line.split(' ');
          return { rateLimit: name, held: Number(held) };
        }),
    ),
  );
}

/** Resolves when this many rate limits rest: their processes hold no permit of them. */
export function untilAtRest(client: Redis, count = 1): Promise<void> {
  return until(async () => (await claims(client)).filter(({ held }) => held === 0).length === count);
}

/**
 * Returns a function for the reasons why processes lost Redis. Only when a loaded machine paused them, the reasons that a
 * pause explains are left out.
 */
export function lossesFor({ onTestFinished }: TestContext, client: Redis): (all: readonly Sharer[]) => string[] {
  let hasPaused = false;
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const watch = async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await sleep(10);
      await client.ping();
      if (performance.now() - startedAt > 100) hasPaused = true;
    }
  };
  // Rejects when the test has stopped its Redis.
  watch().catch(() => undefined);
  return (all) =>
    all
      .flatMap(({ events }) => events.flatMap(({ state, reason }) => (state === 'lost' ? [reason] : [])))
      .filter((reason) => !hasPaused || !reason.includes('not respond'));
}

/** Someone who may write to the key of a name. */
class Tenant {
  readonly redis: Redis;
  readonly key: string;

  constructor(port: number, name: string) {
    this.redis = new Redis(port, '127.0.0.1');
    this.redis.on('error', () => undefined);
    this.key = `${name}:limits`;
  }

  /** Writes the record of another process now: of rate limit `test`, these numbers. */
  async claim(numbers: string, at: number | string = Date.now()): Promise<void> {
    await this.redis.hset(this.key, 'stranger', `1 ${at}\n${encodeURIComponent('"test"')} ${windowMs} ${numbers}`);
  }
}
