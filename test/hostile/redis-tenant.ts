// A process that shares its limits, and a tenant of the same Redis who can write to its keys.
import { createScheduler, type RateLimit, type Scheduler, type SchedulerOptions, type SharingEvent } from 'exchange-rx';
import { shareOverRedis, type RedisOptions } from 'exchange-rx/redis';
import { Redis } from 'ioredis';
import { filter } from 'rxjs';
import { vi, type TestContext } from 'vitest';

/** Short, so that permits are back soon; a lease lives for 975 ms. */
export const rateLimit: RateLimit = { name: 'test', limit: 200, windowMs: 500 };
export const lateArrivalMs = 500;

export interface Sharer {
  readonly scheduler: Scheduler;
  readonly events: readonly SharingEvent[];
  /** When requests were sent, by `performance.now()`. */
  readonly sent: number[];
  /** Resolves when it has come to this state so many times. */
  readonly becomes: (state: SharingEvent['state'], times?: number) => Promise<void>;
  /** Sends without pause, so many requests at a time. */
  readonly saturate: (which?: RateLimit, loops?: number) => void;
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
    { timeout: 20_000, interval: 10 },
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

  /** Publishes a message as a process does after a 429. */
  async publish(message: string): Promise<void> {
    const settings = await this.key(':all_settings');
    await this.redis.publish(settings.replace(/_settings$/, ''), `message:${message}`);
  }

  leave(): void {
    this.redis.disconnect();
  }
}
