// Limits that are shared over a real Redis, with short windows, in real time. What is asserted are counts and states,
// never speeds.
import { createScheduler, type RateLimit, type Scheduler, type SharingEvent } from 'exchange-rx';
import { shareOverRedis, type RedisOptions } from 'exchange-rx/redis';
import { filter, firstValueFrom, ReplaySubject, timeout, type Observable } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { requestPermit, granted } from '../support/permits.js';
import { hasRedisServer, lostAndJoined, startRedis, type RedisServer } from '../support/redis.js';

const rateLimit = { name: 'test', limit: 200, windowMs: 1000 };
const lateArrivalMs = 1000;

let redis: RedisServer;
beforeEach(async () => {
  redis = await startRedis();
});
afterEach(() => redis.stop());

interface Member {
  readonly scheduler: Scheduler;
  readonly events: SharingEvent[];
  /** Resolves when it comes to this state, or has done so since it was last requested. */
  readonly becomes: (state: SharingEvent['state']) => Promise<SharingEvent>;
}

function member(options: Partial<RedisOptions> = {}): Member {
  const scheduler = createScheduler({ lateArrivalMs, redis: shareOverRedis({ url: redis.url, ...options }) });
  const events: SharingEvent[] = [];
  let states = new ReplaySubject<SharingEvent>();
  scheduler.events$.pipe(filter((event) => event.type === 'sharing')).subscribe((event) => {
    events.push(event);
    states.next(event);
  });
  return {
    scheduler,
    events,
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

/** Sends without pause until the test is over, and records when. */
function saturate({ scheduler }: Member, sent: number[], which: RateLimit = rateLimit): void {
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
  it('stay within the limit together in every window, and each gets a part', async () => {
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

  it('wait until permits from before the start of Redis no longer count', async () => {
    const { scheduler, becomes, events } = member();
    const startedAt = performance.now();
    const first = requestPermit(scheduler, rateLimit);
    await becomes('joined');
    expect(events.map(({ state }) => state)).toEqual(['waiting', 'joined']);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    await expect.poll(() => first.permit).toBeDefined();
  });

  it('send in the same tick after a short or long idle time', async () => {
    const large = { name: 'large', limit: 10_000, windowMs: 1000 };
    const { scheduler } = member();
    const first = requestPermit(scheduler, large);
    await expect.poll(() => first.permit).toBeDefined();
    first.permit?.release('responded');
    for (let time = 0; time < 10; time += 1) {
      await sleep(130);
      const [normal, urgent] = [
        requestPermit(scheduler, large),
        requestPermit(scheduler, large, { priority: 'urgent' }),
      ];
      expect(granted([normal, urgent])).toEqual([true, true]);
      for (const { permit } of [normal, urgent]) permit?.release('responded');
    }
  });

  it('send nothing while Redis is unavailable, report it, and join again by themselves', async () => {
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
    for (const { events } of members) expect(events.map(({ state }) => state).join(' ')).toMatch(lostAndJoined);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('use their share while Redis is unavailable, when all permits have returned, and join again', async () => {
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

  it('ignore the permits of a flushed server, and record that for processes that join later', async () => {
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
    expect(second.events.map(({ state }) => state)).toEqual(['waiting', 'joined']);
    await sleep(1500);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('hold the permit of a request with a late response beyond the life of its lease', async () => {
    const few = { name: 'few', limit: 4, windowMs: 1000 };
    const { scheduler, events, becomes } = member();
    const held = Array.from({ length: 2 }, () => requestPermit(scheduler, few));
    await becomes('joined');
    await expect.poll(() => granted(held)).toEqual([true, true]);
    await sleep(4000);
    expect(events.map(({ state }) => state)).toEqual(['waiting', 'joined']);
    const others = Array.from({ length: 4 }, () => requestPermit(scheduler, few));
    await sleep(1000);
    expect(granted(others).filter(Boolean)).toHaveLength(2);
  });

  it('cool down together when one of them gets a 429', async () => {
    const [one, other] = [member(), member()];
    const requested = [requestPermit(one.scheduler, rateLimit), requestPermit(other.scheduler, rateLimit)];
    await expect.poll(() => granted(requested)).toEqual([true, true]);
    requested[0]?.permit?.release('rate-limited', 3000);
    const closed = () => {
      let until: number | undefined;
      other.scheduler.usage$.subscribe(([usage]) => (until = usage?.coolDownUntil)).unsubscribe();
      return until;
    };
    await expect.poll(closed).toBeGreaterThan(Date.now() + 1000);
  });

  it('report the permits that none of them uses', async () => {
    const [one, other] = [member(), member()];
    const requested = [
      requestPermit(other.scheduler, rateLimit),
      ...Array.from({ length: 50 }, () => requestPermit(one.scheduler, rateLimit)),
    ];
    await expect.poll(() => granted(requested).every(Boolean)).toBe(true);
    const free = () => {
      let permits = 0;
      other.scheduler.usage$.subscribe(([usage]) => (permits = usage?.free ?? 0)).unsubscribe();
      return permits;
    };
    await expect.poll(free).toBeLessThanOrEqual(149);
    expect(free()).toBeGreaterThan(100);
  });

  it('keep their announcements while one of them is alive', async () => {
    const { scheduler, becomes } = member();
    requestPermit(scheduler, rateLimit);
    await becomes('joined');
    const keys: unknown = await redis.command('keys', '*:limits');
    const [key] = Array.isArray(keys) ? keys.map(String) : [];
    if (key === undefined) throw new Error('no announcement');
    await redis.command('expire', key, '60');
    await expect.poll(() => redis.command('ttl', key)).toBeGreaterThan(86_000);
  });

  it('wait while Redis has not started, and join when it has', async () => {
    await redis.stop();
    const { scheduler, becomes } = member();
    const first = requestPermit(scheduler, rateLimit);
    const { reason } = await becomes('lost');
    expect(reason).toContain('ECONNREFUSED');
    await redis.start();
    await becomes('joined');
    await expect.poll(() => first.permit).toBeDefined();
  });

  it('do not quote a wrong password', async () => {
    await redis.command('CONFIG', 'SET', 'requirepass', 'right');
    const { becomes } = member({ url: redis.url.replace('//', '//:wrong-secret@') });
    const { reason } = await becomes('lost');
    expect(reason).toContain('WRONGPASS');
    expect(reason).not.toContain('wrong-secret');
  });
});
