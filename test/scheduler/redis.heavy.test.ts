// Limits that are shared over a real Redis, with short windows, in real time.
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { describe, it, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { granted, requestPermit } from '../support/permits.js';
import { hasRedisServer, lostAndJoined } from '../support/redis.js';
import { lifeMs, limit, ownRedis, rateLimit, sharersFor, until, windowMs, type Sharer } from '../support/sharing.js';

/** Of a limit of 200, 4 permits are for urgent requests. */
const forNormal = 196;

/** A Redis of its own, because tests stop it and change its settings while others run. */
async function setup(context: TestContext) {
  const redis = await ownRedis(context);
  return { redis, open: sharersFor(context, { url: redis.url }) };
}

/** Processes that have joined and go on sending. */
async function allJoin(...all: readonly Sharer[]): Promise<readonly Sharer[]> {
  for (const { saturate } of all) saturate();
  await allBecome(all, 'joined');
  return all;
}

async function allBecome(all: readonly Sharer[], ...state: Parameters<Sharer['becomes']>): Promise<void> {
  await Promise.all(all.map(({ becomes }) => becomes(...state)));
}

const sentBy = (all: readonly Sharer[]) => all.flatMap(({ sent }) => sent);

const concurrently = { concurrent: true, timeout: 60_000 };

describe.skipIf(!hasRedisServer)('processes that share their limits over Redis', concurrently, () => {
  it('stay within the limit together in every window, and each gets a part', async (context) => {
    const { open } = await setup(context);
    const all = await allJoin(open(), open());
    await sleep(3000);
    context.expect(largestWindow(sentBy(all), windowMs)).toBeLessThanOrEqual(forNormal);
    for (const { sent } of all) context.expect(sent.length).toBeGreaterThan(50);
  });

  it('wait until permits from before the start of Redis no longer count', async (context) => {
    const startedAt = performance.now();
    const { open } = await setup(context);
    const { scheduler, becomes } = open();
    const first = requestPermit(scheduler, rateLimit);
    await becomes('joined');
    context.expect(performance.now() - startedAt).toBeGreaterThan(lifeMs - 100);
    await until(() => first.permit !== undefined);
  });

  it('send nothing while Redis is unavailable, report it, and join again by themselves', async (context) => {
    const { redis, open } = await setup(context);
    const all = await allJoin(open(), open());
    await sleep(1000);
    await redis.stop();
    await allBecome(all, 'lost');
    await sleep(50);
    const before = sentBy(all).length;
    await sleep(1000);
    context.expect(sentBy(all).length).toBe(before);
    await redis.start();
    await allBecome(all, 'joined', 2);
    await until(() => sentBy(all).length > before + 100);
    for (const { states } of all) context.expect(states().join(' ')).toMatch(lostAndJoined);
    context.expect(largestWindow(sentBy(all), windowMs)).toBeLessThanOrEqual(limit);
  });

  it('use their share while Redis is unavailable, when all permits have returned, and join again', async (context) => {
    const { redis, open } = await setup(context);
    const all = await allJoin(open({ shareWhenDown: 0.25 }), open({ shareWhenDown: 0.25 }));
    await sleep(500);
    await redis.stop();
    await allBecome(all, 'alone');
    const aloneAt = performance.now();
    await sleep(1500);
    const alone = sentBy(all).filter((time) => time >= aloneAt);
    context.expect(alone.length).toBeGreaterThan(90);
    context.expect(largestWindow(alone, windowMs)).toBeLessThanOrEqual(limit / 2);
    await redis.start();
    await allBecome(all, 'joined', 2);
    await sleep(1000);
    context.expect(largestWindow(sentBy(all), windowMs)).toBeLessThanOrEqual(limit);
  });

  it('wait for the permits of the others when they have used no limit before Redis is lost', async (context) => {
    const { redis, open } = await setup(context);
    const [busy, idle] = [open({ shareWhenDown: 0.75 }), open({ shareWhenDown: 0.25 })];
    await allJoin(busy);
    await busy.sends(400);
    await redis.stop();
    idle.saturate();
    await allBecome([busy, idle], 'alone');
    await sleep(1000);
    context.expect(largestWindow(sentBy([busy, idle]), windowMs)).toBeLessThanOrEqual(limit);
  });

  it('ignore the permits of a flushed server, and record that for processes that join later', async (context) => {
    const { redis, open } = await setup(context);
    // Permits of these count for 2.4 s: a loaded machine notices within.
    const patient = { lateArrivalMs: 2000 };
    const first = open({}, patient);
    await allJoin(first);
    await sleep(500);
    await redis.command('FLUSHALL');
    await first.becomes('lost');
    const second = open({}, patient);
    await allJoin(second);
    await first.becomes('joined', 2);
    context.expect(second.states()).toEqual(['waiting', 'joined']);
    await sleep(1000);
    context.expect(largestWindow(sentBy([first, second]), windowMs)).toBeLessThanOrEqual(limit);
  });

  it('cool down together when one of them gets a 429', async (context) => {
    const { open } = await setup(context);
    const [one, other] = [open(), open()];
    const requested = [one, other].map(({ scheduler }) => requestPermit(scheduler, rateLimit));
    await until(() => granted(requested).every(Boolean));
    const releasedAt = Date.now();
    requested[0]?.permit?.release('rate-limited', 3000);
    await until(() => Number(other.usage()?.coolDownUntil) > releasedAt + 1000);
  });

  it('report the free permits', async (context) => {
    const { open } = await setup(context);
    const [one, other] = [open(), open()];
    const requested = [
      requestPermit(other.scheduler, rateLimit),
      ...Array.from({ length: 50 }, () => requestPermit(one.scheduler, rateLimit)),
    ];
    await until(() => granted(requested).every(Boolean));
    await until(() => Number(other.usage()?.free) <= 149);
    context.expect(other.usage()?.free).toBeGreaterThan(100);
  });

  it('stay within the limit together while Redis responds late, again and again', async (context) => {
    const { redis, open } = await setup(context);
    const all = await allJoin(open(), open());
    // Permits in hand may be used for 0.14 s after a call; permits count for 0.975 s after it.
    for (const ms of [200, 450, 1250, 200]) {
      await redis.command('CLIENT', 'PAUSE', String(ms), 'ALL');
      await sleep(ms + 300);
    }
    const before = sentBy(all).length;
    await until(() => sentBy(all).length > before + 200);
    context.expect(largestWindow(sentBy(all), windowMs)).toBeLessThanOrEqual(forNormal);
  });

  it('wait while Redis has not started, and join when it has; no reason quotes a wrong password', async (context) => {
    const { redis, open } = await setup(context);
    await redis.stop();
    const one = open();
    one.saturate();
    await one.becomes('lost');
    context.expect(one.events[0]?.reason).toContain('ECONNREFUSED');
    await redis.start();
    await one.becomes('joined');
    await one.sends(1);
    await redis.command('CONFIG', 'SET', 'requirepass', 'right');
    const refused = open({ url: redis.url.replace('//', '//:wrong-secret@') });
    await refused.becomes('lost');
    context.expect(refused.events[0]?.reason).toBe('Redis rejected the user name or password (WRONGPASS)');
  });
});

// One after another: another test could keep the event loop busy while permits in hand, or a lease, are renewed.
describe.skipIf(!hasRedisServer)('processes that share their limits over Redis, alone', { timeout: 60_000 }, () => {
  it.for([4, 200])(
    'never grant a permit of %d while all are held by requests without a response',
    async (few, context) => {
      const { open } = await setup(context);
      const silent = { ...rateLimit, limit: few };
      const [one, other] = [open(), open()];
      const held = Array.from({ length: few }, () => requestPermit(one.scheduler, silent, { priority: 'urgent' }));
      await until(() => granted(held).every(Boolean));
      const next = requestPermit(other.scheduler, silent, { priority: 'urgent' });
      // More than two lives of a lease.
      await sleep(2500);
      context.expect(next.permit).toBeUndefined();
      for (const { states } of [one, other]) context.expect(states()).not.toContain('lost');
      for (const { permit } of held) permit?.release('responded');
      await until(() => next.permit !== undefined);
    },
  );

  it('send an urgent request while normal requests of another process saturate the limit', async (context) => {
    const { open } = await setup(context);
    const [busy, other] = [open(), open()];
    await allJoin(busy);
    await busy.sends(300);
    // A reserve of 4, and a window of half a second.
    for (let cancel = 0; cancel < 6; cancel += 1) {
      const before = busy.sent.length;
      const permit = await firstValueFrom(other.scheduler.acquire(rateLimit, { priority: 'urgent' }));
      permit.release('responded');
      context.expect(busy.sent.length - before).toBeLessThan(limit);
      await sleep(200);
    }
    context.expect(largestWindow(busy.sent, windowMs)).toBeLessThanOrEqual(forNormal);
  });

  it('send in the same tick after a short or long idle time', async (context) => {
    const { open } = await setup(context);
    const large = { ...rateLimit, limit: 10_000, windowMs: 1000 };
    const { scheduler } = open();
    const first = requestPermit(scheduler, large);
    await until(() => first.permit !== undefined);
    first.permit?.release('responded');
    // A machine that pauses the process may make it ask Redis again: then this once does not count.
    for (const idleMs of [100, 1500])
      await until(async () => {
        await sleep(idleMs);
        const both = [requestPermit(scheduler, large), requestPermit(scheduler, large, { priority: 'urgent' })];
        const areGranted = granted(both).every(Boolean);
        await until(() => granted(both).every(Boolean));
        for (const { permit } of both) permit?.release('responded');
        return areGranted;
      });
  });
});
