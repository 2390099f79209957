// A process that shares its limits, and a tenant of the same Redis who can write to its keys.
import { createScheduler, type RateLimit, type Scheduler, type SchedulerOptions } from 'exchange-rx';
import { shareOverRedis, type RedisOptions } from 'exchange-rx/redis';
import { Redis } from 'ioredis';
import { filter } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi, type TestContext } from 'vitest';
import { granted, requestPermit } from '../support/permits.js';
import type { SharingEvent } from '../../src/scheduler/index.js';

/** Short, so that permits are back soon; a lease lives for 975 ms. */
export const rateLimit: RateLimit = { name: 'test', limit: 200, windowMs: 500 };
export const lateArrivalMs = 500;

export interface Sharer {
  readonly scheduler: Scheduler;
  readonly events: readonly SharingEvent[];
  /** When requests were sent, by `performance.now()`. */
  readonly sent: number[];
  /** Resolves when it has entered this state this number of times. */
  readonly becomes: (state: SharingEvent['state'], times?: number) => Promise<void>;
  /** Sends without pause, this number of requests at a time. */
  readonly saturate: (which?: RateLimit | readonly RateLimit[], loops?: number) => void;
  /** Stops sending. */
  readonly stop: () => void;
  readonly coolDownUntil: () => number | undefined;
}

export function sharer(redis: RedisOptions, options: SchedulerOptions = {}): Sharer {
  const scheduler = createScheduler({ lateArrivalMs, ...options, redis: shareOverRedis(redis) });
  const events: SharingEvent[] = [];
  const sent: number[] = [];
  let isOver = false;
  scheduler.events$.pipe(filter((event) => event.type === 'sharing')).subscribe((event) => events.push(event));
  return {
    scheduler,
    events,
    sent,
    becomes: (state, times = 1) => until(() => events.filter((event) => event.state === state).length >= times),
    saturate(which = rateLimit, loops = 50) {
      const next = () => {
        if (isOver) return;
        scheduler.acquire(which).subscribe((permit) => {
          sent.push(performance.now());
          setTimeout(() => {
            permit.release('responded');
            next();
          }, 5);
        });
      };
      for (let loop = 0; loop < loops; loop += 1) next();
    },
    stop() {
      isOver = true;
    },
    coolDownUntil() {
      let coolDownUntil: number | undefined;
      scheduler.usage$.subscribe(([usage]) => (coolDownUntil = usage?.coolDownUntil)).unsubscribe();
      return coolDownUntil;
    },
  };
}

/** Opens sharers of one name on one server; all stop when the test is over. */
export function sharersFor(
  { onTestFinished }: TestContext,
  redis: RedisOptions,
): (options?: Partial<RedisOptions>, schedulerOptions?: SchedulerOptions) => Sharer {
  const opened: Sharer[] = [];
  onTestFinished(() => {
    for (const each of opened) each.stop();
  });
  return (options = {}, schedulerOptions = {}) => {
    const one = sharer({ ...redis, ...options }, schedulerOptions);
    opened.push(one);
    return one;
  };
}

/** Tests that run side by side cannot use `expect.poll`. */
export function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  return vi.waitFor(
    async () => {
      if (!(await isSo())) throw new Error('not yet');
    },
    { timeout: 30_000, interval: 10 },
  );
}

/** Requests one permit of each, and releases them when all are granted. */
export async function use({ scheduler }: Sharer, limits: readonly RateLimit[] = [rateLimit]): Promise<void> {
  const all = limits.map((one) => requestPermit(scheduler, one));
  await until(() => granted(all).every(Boolean));
  for (const { permit } of all) permit?.release('responded');
}

/** Rate limits whose leases live for 3.9 s. */
export function limitsOf(count: number): readonly RateLimit[] {
  return Array.from({ length: count }, (_, index) => ({ name: `limit-${index}`, limit: 1000, windowMs: 2000 }));
}

/** What one process claims of one rate limit. */
export interface Claimed {
  readonly rateLimit: string;
  readonly limit: number;
  /** The permits that it holds. */
  readonly held: number;
}

/** What the processes of all names claim. */
export async function claims(client: Redis): Promise<readonly Claimed[]> {
  const all = await Promise.all((await client.keys('*:limits')).map((key) => client.hgetall(key)));
  return all.flatMap(({ server: _, ...records }) =>
    Object.values(records).flatMap((record) =>
      record
        .split('\n')
        .slice(1)
        .map((line) => {
          const [name = '', , limit, , held] = line.split(' ');
          const rateLimit: unknown = JSON.parse(decodeURIComponent(name));
          return { rateLimit: String(rateLimit), limit: Number(limit), held: Number(held) };
        }),
    ),
  );
}

/** Resolves when this many rate limits rest: their processes hold no permit of them. */
export function untilAtRest(client: Redis, count = 1): Promise<void> {
  return until(async () => (await claims(client)).filter(({ held }) => held === 0).length === count);
}

/** In a reason that a pause of the process or of Redis explains. */
const pausedReason = 'not respond';

/** Why a process lost Redis, without the reasons that a pause explains. */
export function lossesWithoutPause({ events }: Sharer): readonly string[] {
  return events.flatMap(({ state, reason }) => (state === 'lost' && !reason.includes(pausedReason) ? [reason] : []));
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
    all.flatMap((one) =>
      hasPaused
        ? lossesWithoutPause(one)
        : one.events.filter(({ state }) => state === 'lost').map(({ reason }) => reason),
    );
}

/** Someone who may write to the keys of a name. */
export class Tenant {
  readonly redis: Redis;
  readonly name: string;

  constructor(port: number, name: string) {
    this.redis = new Redis(port, '127.0.0.1');
    this.redis.on('error', () => undefined);
    this.name = name;
  }

  /** The keys of that name that end so. */
  async keys(end = ''): Promise<readonly string[]> {
    const keys = await this.redis.keys('*');
    return keys.filter(
      (key) => (key.startsWith(`b_${this.name}:`) || key.startsWith(`${this.name}:`)) && key.endsWith(end),
    );
  }

  /** The one key that ends so. */
  async key(end: string): Promise<string> {
    const [key, ...more] = await this.keys(end);
    if (key === undefined || more.length > 0) throw new Error(`not one key ends in ${end}`);
    return key;
  }

  async deleteAll(): Promise<void> {
    const keys = await this.keys();
    if (keys.length > 0) await this.redis.del(...keys);
  }

  /** Writes a record as a process does, with a cool-down of rate limit `test` until this time, Unix ms. */
  async announceCoolDown(until: string): Promise<void> {
    const line = `${encodeURIComponent('"test"')} 500 200 975 0 0 0 0 0 ${until}`;
    await this.redis.hset(`${this.name}:limits`, 'stranger', `1 ${Date.now()}\n${line}`);
  }

  leave(): void {
    this.redis.disconnect();
  }
}
