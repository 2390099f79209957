// Limits that are shared over a real Redis, with short windows, in real time. What is asserted are counts and states,
// never speeds.
import { createScheduler, type RateLimit, type Scheduler, type SharingEvent } from 'exchange-rx';
import { shareOverRedis, type RedisOptions } from 'exchange-rx/redis';
import { filter, firstValueFrom, ReplaySubject, timeout, type Observable } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { ask, granted } from '../support/permits.js';
import { hasRedisServer, lostAndJoined, startRedis, type RedisServer } from '../support/redis.js';

const group = { name: 'test', limit: 200, windowMs: 1000 };
const lateArrivalMs = 1000;

let redis: RedisServer;
beforeEach(async () => {
  redis = await startRedis();
});
afterEach(() => redis.stop());

interface Member {
  readonly scheduler: Scheduler;
  readonly told: SharingEvent[];
  /** Resolves when it comes to this state, or has done so since it was last asked. */
  readonly becomes: (state: SharingEvent['state']) => Promise<SharingEvent>;
}

function member(options: Partial<RedisOptions> = {}): Member {
  const scheduler = createScheduler({ lateArrivalMs, redis: shareOverRedis({ url: redis.url, ...options }) });
  const told: SharingEvent[] = [];
  let states = new ReplaySubject<SharingEvent>();
  scheduler.events$.pipe(filter((event) => event.type === 'sharing')).subscribe((event) => {
    told.push(event);
    states.next(event);
  });
  return {
    scheduler,
    told,
    async becomes(state) {
      const event = await firstValueFrom(
        (states as Observable<SharingEvent>).pipe(
          filter((one) => one.state === state),
          timeout(15_000),
        ),
      );
      states = new ReplaySubject<SharingEvent>();
      return event;
    },
  };
}

/** Sends without pause until the test is over; tells when. */
function saturate({ scheduler }: Member, sent: number[], which: RateLimit = group): void {
  let over = false;
  onTestFinished(() => {
    over = true;
  });
  const next = () => {
    if (over) return;
    scheduler.acquire(which).subscribe((permit) => {
      setTimeout(() => sent.push(performance.now()), Math.random() * 20);
      setTimeout(
        () => {
          permit.release('responded');
          next();
        },
        20 + Math.random() * 20,
      );
    });
  };
  for (let loop = 0; loop < 100; loop += 1) next();
}

describe.skipIf(!hasRedisServer)('processes that share their limits over Redis', () => {
  it('keep them together, in every window, and each gets its part', async () => {
    const members = [member(), member()];
    const sent: number[][] = [[], []];
    members.forEach((each, index) => {
      saturate(each, sent[index] ?? []);
    });
    await Promise.all(members.map((each) => each.becomes('joined')));
    await sleep(5000);
    expect(largestWindow(sent.flat(), 1000)).toBeLessThanOrEqual(200);
    for (const own of sent) expect(own.length).toBeGreaterThan(50);
  });

  it('wait until what was given out before Redis was started cannot count any more', async () => {
    const { scheduler, becomes, told } = member();
    const startedAt = performance.now();
    const first = ask(scheduler, group);
    await becomes('joined');
    expect(told.map(({ state }) => state)).toEqual(['waiting', 'joined']);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    await expect.poll(() => first.permit).toBeDefined();
  });

  it('send in the same tick when they were idle, be it for long', async () => {
    const large = { name: 'large', limit: 10_000, windowMs: 1000 };
    const { scheduler } = member();
    const first = ask(scheduler, large);
    await expect.poll(() => first.permit, { timeout: 10_000 }).toBeDefined();
    first.permit?.release('responded');
    for (let time = 0; time < 10; time += 1) {
      await sleep(130);
      const [normal, urgent] = [ask(scheduler, large), ask(scheduler, large, { priority: 'urgent' })];
      expect(granted([normal, urgent])).toEqual([true, true]);
      for (const { permit } of [normal, urgent]) permit?.release('responded');
    }
  });

  it('send nothing while Redis is away, say so, and join again by themselves', async () => {
    const members = [member(), member()];
    const sent: number[] = [];
    for (const each of members) saturate(each, sent);
    await Promise.all(members.map((each) => each.becomes('joined')));
    await sleep(1500);
    await redis.stop();
    await Promise.all(members.map((each) => each.becomes('lost')));
    await sleep(50);
    const before = sent.length;
    await sleep(1500);
    expect(sent.length).toBe(before);
    await redis.start();
    await Promise.all(members.map((each) => each.becomes('joined')));
    await expect.poll(() => sent.length).toBeGreaterThan(before + 100);
    for (const { told } of members) expect(told.map(({ state }) => state).join(' ')).toMatch(lostAndJoined);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('go on with their declared share while Redis is away, once what was given out is back, and join again', async () => {
    const members = [member({ whenRedisIsDown: { share: 0.25 } }), member({ whenRedisIsDown: { share: 0.25 } })];
    const sent: number[] = [];
    for (const each of members) saturate(each, sent);
    await Promise.all(members.map((each) => each.becomes('joined')));
    await sleep(500);
    await redis.stop();
    await Promise.all(members.map((each) => each.becomes('alone')));
    const aloneAt = performance.now();
    await sleep(3000);
    const alone = sent.filter((time) => time >= aloneAt);
    expect(alone.length).toBeGreaterThan(90);
    expect(largestWindow(alone, 1000)).toBeLessThanOrEqual(100);
    await redis.start();
    await Promise.all(members.map((each) => each.becomes('joined')));
    await sleep(1500);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  }, 40_000);

  it('believe nothing of a server that was emptied, and leave word for those who come', async () => {
    const first = member();
    const sent: number[] = [];
    saturate(first, sent);
    await first.becomes('joined');
    await sleep(1200);
    await redis.command('FLUSHALL');
    await first.becomes('lost');
    const second = member();
    saturate(second, sent);
    await Promise.all([first.becomes('joined'), second.becomes('joined')]);
    expect(second.told.map(({ state }) => state)).toEqual(['waiting', 'joined']);
    await sleep(1500);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('hold a permit for a request that is answered late, beyond the life of its lease', async () => {
    const few = { name: 'few', limit: 4, windowMs: 1000 };
    const { scheduler, told, becomes } = member();
    const held = Array.from({ length: 2 }, () => ask(scheduler, few));
    await becomes('joined');
    await expect.poll(() => granted(held)).toEqual([true, true]);
    await sleep(4000);
    expect(told.map(({ state }) => state)).toEqual(['waiting', 'joined']);
    const others = Array.from({ length: 4 }, () => ask(scheduler, few));
    await sleep(1000);
    expect(granted(others).filter(Boolean)).toHaveLength(2);
  });

  it('close a group for all when one of them meets a 429', async () => {
    const [one, other] = [member(), member()];
    const asked = [ask(one.scheduler, group), ask(other.scheduler, group)];
    await expect.poll(() => granted(asked), { timeout: 10_000 }).toEqual([true, true]);
    asked[0]?.permit?.release('rate-limited', 3000);
    const closed = () => {
      let until: number | undefined;
      other.scheduler.usage$.subscribe(([usage]) => (until = usage?.coolDownUntil)).unsubscribe();
      return until;
    };
    await expect.poll(closed).toBeGreaterThan(Date.now() + 1000);
  });

  it('tell what all of them together have left', async () => {
    const [one, other] = [member(), member()];
    const asked = [ask(other.scheduler, group), ...Array.from({ length: 50 }, () => ask(one.scheduler, group))];
    await expect.poll(() => granted(asked).every(Boolean), { timeout: 10_000 }).toBe(true);
    const free = () => {
      let permits = 0;
      other.scheduler.usage$.subscribe(([usage]) => (permits = usage?.free ?? 0)).unsubscribe();
      return permits;
    };
    await expect.poll(free).toBeLessThanOrEqual(149);
    expect(free()).toBeGreaterThan(100);
  });

  it('keep what they announced for as long as one of them is there', async () => {
    const { scheduler, becomes } = member();
    ask(scheduler, group);
    await becomes('joined');
    const keys: unknown = await redis.command('keys', '*:limits');
    const [key] = Array.isArray(keys) ? keys.map(String) : [];
    if (key === undefined) throw new Error('no announcement');
    await redis.command('expire', key, '60');
    await expect.poll(() => redis.command('ttl', key), { timeout: 15_000 }).toBeGreaterThan(86_000);
  });

  it('wait when there is no Redis yet, and start when it comes', async () => {
    await redis.stop();
    const { scheduler, becomes } = member();
    const first = ask(scheduler, group);
    const { reason } = await becomes('lost');
    expect(reason).toContain('ECONNREFUSED');
    await redis.start();
    await becomes('joined');
    await expect.poll(() => first.permit).toBeDefined();
  });

  it('show no password when it is wrong', async () => {
    await redis.command('CONFIG', 'SET', 'requirepass', 'right');
    const { becomes } = member({ url: redis.url.replace('//', '//:wrong-secret@') });
    const { reason } = await becomes('lost');
    expect(reason).toContain('WRONGPASS');
    expect(reason).not.toContain('wrong-secret');
  });
});
