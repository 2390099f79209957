// Limits that are shared over a real Redis, with short windows, in real time. What is asserted are counts and states,
// never speeds.
import { createScheduler, type RateLimit, type Scheduler } from 'exchange-rx';
import { shareOverRedis, type RedisOptions } from 'exchange-rx/redis';
import { filter, firstValueFrom, ReplaySubject, timeout, type Observable } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it, type TestContext } from 'vitest';
import { until } from '../hostile/redis-tenant.js';
import { largestWindow } from '../support/largest-window.js';
import { requestPermit, granted } from '../support/permits.js';
import { hasRedisServer, lostAndJoined, startRedis } from '../support/redis.js';
import type { SharingEvent } from '../../src/scheduler/index.js';

const rateLimit = { name: 'test', limit: 200, windowMs: 1000 };
const lateArrivalMs = 1000;

interface Member {
  readonly scheduler: Scheduler;
  readonly events: SharingEvent[];
  /** Resolves when it comes to this state, or has done so since it was last requested. */
  readonly becomes: (state: SharingEvent['state']) => Promise<SharingEvent>;
}

/** Of a limit of 200, 4 permits are reserved for urgent requests. */
const unreserved = 196;

/** A Redis of its own, because tests stop it and change its settings while others run. */
async function setup({ onTestFinished }: TestContext) {
  const redis = await startRedis();
  let isOver = false;
  onTestFinished(async () => {
    isOver = true;
    await redis.stop();
  });

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
    const next = () => {
      if (isOver) return;
      scheduler.acquire(which).subscribe((permit) => {
        // It arrives before its response, however late the timers of a loaded machine fire.
        sent.push(performance.now() + Math.random() * 20);
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

  return { redis, member, saturate };
}

const concurrently = { concurrent: true, timeout: 40_000 };

describe.skipIf(!hasRedisServer)('processes that share their limits over Redis', concurrently, () => {
  it('stay within the limit together in every window, and each gets a part', async (context) => {
    const { expect } = context;
    const { member, saturate } = await setup(context);
    const members = [member(), member()];
    const sent: number[][] = [[], []];
    members.forEach((each, index) => {
      saturate(each, sent[index] ?? []);
    });
    await Promise.all(members.map((each) => each.becomes('joined')));
    await sleep(5000);
    expect(largestWindow(sent.flat(), 1000)).toBeLessThanOrEqual(unreserved);
    for (const own of sent) expect(own.length).toBeGreaterThan(50);
  });

  it('wait until permits from before the start of Redis no longer count', async (context) => {
    const { expect } = context;
    const { member } = await setup(context);
    const { scheduler, becomes, events } = member();
    const startedAt = performance.now();
    const first = requestPermit(scheduler, rateLimit);
    await becomes('joined');
    expect(events.map(({ state }) => state)).toEqual(['waiting', 'joined']);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    await until(() => first.permit !== undefined);
  });

  it('send nothing while Redis is unavailable, report it, and join again by themselves', async (context) => {
    const { expect } = context;
    const { redis, member, saturate } = await setup(context);
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
    await until(() => sent.length > before + 100);
    for (const { events } of members) expect(events.map(({ state }) => state).join(' ')).toMatch(lostAndJoined);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('use their share while Redis is unavailable, when all permits have returned, and join again', async (context) => {
    const { expect } = context;
    const { redis, member, saturate } = await setup(context);
    const members = [member({ shareWhenDown: 0.25 }), member({ shareWhenDown: 0.25 })];
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
  });

  it('wait for the permits of the others when they have used no limit before Redis is lost', async (context) => {
    const { expect } = context;
    const { redis, member, saturate } = await setup(context);
    const busy = member({ shareWhenDown: 0.75 });
    const idle = member({ shareWhenDown: 0.25 });
    const sent: number[] = [];
    saturate(busy, sent);
    await busy.becomes('joined');
    await sleep(1000);
    const before = sent.length;
    await until(() => sent.length > before + 150);
    await redis.stop();
    saturate(idle, sent);
    await Promise.all([busy, idle].map((each) => each.becomes('alone')));
    await sleep(1500);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(200);
  });

  it('ignore the permits of a flushed server, and record that for processes that join later', async (context) => {
    const { expect } = context;
    const { redis, member, saturate } = await setup(context);
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

  it('cool down together when one of them gets a 429', async (context) => {
    const { member } = await setup(context);
    const [one, other] = [member(), member()];
    const requested = [requestPermit(one.scheduler, rateLimit), requestPermit(other.scheduler, rateLimit)];
    await until(() => granted(requested).every(Boolean));
    const releasedAt = Date.now();
    requested[0]?.permit?.release('rate-limited', 3000);
    const closed = () => {
      let coolDownUntil: number | undefined;
      other.scheduler.usage$.subscribe(([usage]) => (coolDownUntil = usage?.coolDownUntil)).unsubscribe();
      return coolDownUntil;
    };
    await until(() => Number(closed()) > releasedAt + 1000);
  });

  it('report the free permits', async (context) => {
    const { expect } = context;
    const { member } = await setup(context);
    const [one, other] = [member(), member()];
    const requested = [
      requestPermit(other.scheduler, rateLimit),
      ...Array.from({ length: 50 }, () => requestPermit(one.scheduler, rateLimit)),
    ];
    await until(() => granted(requested).every(Boolean));
    const free = () => {
      let permits = 0;
      other.scheduler.usage$.subscribe(([usage]) => (permits = usage?.free ?? 0)).unsubscribe();
      return permits;
    };
    await until(() => free() <= 149);
    expect(free()).toBeGreaterThan(100);
  });

  it('stay within the limit together while Redis responds late, again and again', async (context) => {
    const { expect } = context;
    const { redis, member, saturate } = await setup(context);
    const members = [member(), member()];
    const sent: number[] = [];
    for (const each of members) saturate(each, sent);
    await Promise.all(members.map((each) => each.becomes('joined')));
    // Permits in hand may be used for 0.3 s after a call; permits count for 1.95 s after it.
    for (const ms of [400, 900, 2500, 400]) {
      await redis.command('CLIENT', 'PAUSE', String(ms), 'ALL');
      await sleep(ms + 300);
    }
    const before = sent.length;
    await until(() => sent.length > before + 200);
    expect(largestWindow(sent, 1000)).toBeLessThanOrEqual(unreserved);
  });

  it('wait while Redis has not started, and join when it has', async (context) => {
    const { expect } = context;
    const { redis, member } = await setup(context);
    await redis.stop();
    const { scheduler, becomes } = member();
    const first = requestPermit(scheduler, rateLimit);
    const { reason } = await becomes('lost');
    expect(reason).toContain('ECONNREFUSED');
    await redis.start();
    await becomes('joined');
    await until(() => first.permit !== undefined);
  });

  it('do not quote a wrong password', async (context) => {
    const { expect } = context;
    const { redis, member } = await setup(context);
    await redis.command('CONFIG', 'SET', 'requirepass', 'right');
    const { becomes } = member({ url: redis.url.replace('//', '//:wrong-secret@') });
    const { reason } = await becomes('lost');
    expect(reason).toContain('WRONGPASS');
    expect(reason).not.toContain('wrong-secret');
  });
});

// One after another: another test could keep the event loop busy while permits in hand, or a lease, are renewed.
describe.skipIf(!hasRedisServer)('processes that share their limits over Redis, alone', () => {
  it('hold the permit of a request with a late response beyond the life of its lease', async (context) => {
    const { expect } = context;
    const { member } = await setup(context);
    const few = { name: 'few', limit: 4, windowMs: 1000 };
    const { scheduler, events, becomes } = member();
    const held = Array.from({ length: 2 }, () => requestPermit(scheduler, few));
    await becomes('joined');
    await until(() => granted(held).every(Boolean));
    await sleep(4000);
    expect(events.map(({ state }) => state)).toEqual(['waiting', 'joined']);
    const others = Array.from({ length: 4 }, () => requestPermit(scheduler, few));
    const grantedOthers = () => granted(others).filter(Boolean).length;
    await until(() => grantedOthers() >= 2);
    await sleep(1000);
    expect(grantedOthers()).toBe(2);
  });

  it.for([4, 200])(
    'never grant a permit of %d while all are held by requests without a response',
    async (limit, context) => {
      const { expect } = context;
      const { member } = await setup(context);
      const silent = { name: 'silent', limit, windowMs: 1000 };
      const [one, other] = [member(), member()];
      const held = Array.from({ length: limit }, () => requestPermit(one.scheduler, silent, { priority: 'urgent' }));
      await until(() => granted(held).every(Boolean));
      const next = requestPermit(other.scheduler, silent, { priority: 'urgent' });
      // More than two lives of a lease.
      await sleep(5000);
      expect(next.permit).toBeUndefined();
      for (const { events } of [one, other]) expect(events.map(({ state }) => state)).not.toContain('lost');
      for (const { permit } of held) permit?.release('responded');
      await until(() => next.permit !== undefined);
    },
  );

  it('send in the same tick after a short or long idle time', async (context) => {
    const { expect } = context;
    const { member } = await setup(context);
    const large = { name: 'large', limit: 10_000, windowMs: 1000 };
    const { scheduler } = member();
    const first = requestPermit(scheduler, large);
    await until(() => first.permit !== undefined);
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
});
