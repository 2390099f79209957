// A limit that is changed while processes share it, as a rolling deployment does, and a process whose wall clock is set:
// several schedulers, processes that are killed, a real redis-server, counted windows.
import type { RateLimit } from 'exchange-rx';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer } from '../support/redis.js';
import { lifeMs, limit, ownRedis, rateLimit, sharedRedis, until, windowMs, type Sharer } from '../support/sharing.js';

const small: RateLimit = { ...rateLimit, limit: 60 };
const setup = sharedRedis();

/** A process that sends at this limit, and has joined. */
async function joined(one: Sharer, which = rateLimit): Promise<Sharer> {
  one.saturate(which);
  await one.becomes('joined');
  return one;
}

describe.skipIf(!hasRedisServer)('a limit that processes share', { timeout: 90_000 }, () => {
  it('is the lowest announced limit, for all, as soon as its process joins', async (context) => {
    const { open } = setup(context);
    const old = await Promise.all([joined(open()), joined(open())]);
    await sleep(500);
    const fresh = await joined(open(), small);
    const joinedAt = performance.now();
    await fresh.sends(100);
    const all = [...old, fresh].flatMap(({ sent }) => sent);
    // What was granted before it joined is back when a lease's life has passed.
    const since = all.filter((time) => time >= joinedAt + lifeMs);
    expect(largestWindow(all, windowMs)).toBeLessThanOrEqual(limit);
    expect(largestWindow(since, windowMs)).toBeLessThanOrEqual(small.limit);
    for (const { events } of old)
      expect(events.at(-1)?.reason).toBe(
        'rate limit "test" is 60 instead of 200, because another process announces a lower limit',
      );
  });

  it('has one window: a process with another one is refused, reports how to change it, and sends nothing', async (context) => {
    const { open } = setup(context);
    const first = await joined(open());
    const other = open({ shareWhenDown: 0.5 });
    other.saturate({ ...rateLimit, windowMs: 250 });
    await other.becomes('lost');
    expect(other.events.at(-1)?.reason).toBe(
      'rate limit "test" has a window of 250 ms here and 500 ms in the processes that share it: stop them first, or pass another name to shareOverRedis()',
    );
    await sleep(2000);
    expect(other.sent).toEqual([]);
    expect(first.states()).not.toContain('lost');
  });

  it('can be raised by one process after another: the higher limit applies when the last process with the lower one is gone', async (context) => {
    const { open, spawn } = setup(context);
    const [first, second] = [spawn(small), spawn(small)];
    await until(() => first.sent.length > 60 && second.sent.length > 60);
    const next = open();
    next.saturate();
    await next.sends(30);
    first.kill();
    const another = open();
    another.saturate();
    await another.sends(30);
    const all = () => [first, second, next, another].flatMap(({ sent }) => sent);
    second.kill();
    const killedAt = performance.now();
    await until(() => next.events.at(-1)?.reason === 'limits are shared over Redis');
    const raisedAt = performance.now();
    // The permits of the process that was killed are back.
    expect(raisedAt - killedAt).toBeGreaterThan(lifeMs);
    await until(() => largestWindow(all(), windowMs) > small.limit);
    const before = all().filter((time) => time < raisedAt - 100);
    expect(largestWindow(before, windowMs)).toBeLessThanOrEqual(small.limit);
    expect(largestWindow(all(), windowMs)).toBeLessThanOrEqual(limit);
    for (const one of [next, another]) expect(one.states()).not.toContain('lost');
  });

  it.concurrent('is divided by its lower value when Redis goes down while two are announced', async (context) => {
    const own = await ownRedis(context);
    const { open } = setup(context, own);
    const old = await joined(open({ shareWhenDown: 0.5 }));
    const fresh = await joined(open({ shareWhenDown: 0.5 }), small);
    await old.becomes('joined', 2);
    await own.stop();
    await Promise.all([old.becomes('alone'), fresh.becomes('alone')]);
    const aloneAt = performance.now();
    const all = () => [...old.sent, ...fresh.sent].filter((time) => time > aloneAt);
    await until(() => all().length > 200);
    expect(largestWindow(all(), windowMs)).toBeLessThanOrEqual(small.limit);
    expect(largestWindow(all(), windowMs)).toBeGreaterThan(small.limit / 2);
  });

  it.concurrent('is agreed without sending the script with each call, also after SCRIPT FLUSH', async (context) => {
    const own = await ownRedis(context);
    const one = await joined(setup(context, own).open(), small);
    const calls = async () => {
      const statistics = String(await own.command('INFO', 'commandstats'));
      return Number(/^cmdstat_eval:calls=(\d+)/m.exec(statistics)?.[1] ?? 0);
    };
    const before = await calls();
    await sleep(1000);
    expect((await calls()) - before).toBe(0);
    await own.command('SCRIPT', 'FLUSH');
    await sleep(300);
    await one.sends(60);
    expect((await calls()) - before).toBeGreaterThan(0);
    expect(one.states()).not.toContain('lost');
  });

  it('can be lowered below the size of a lease', async (context) => {
    const { open } = setup(context);
    const old = await joined(open(), { ...rateLimit, limit: 3200 });
    await old.sends(1000);
    const fresh = open();
    fresh.saturate({ ...rateLimit, limit: 2 }, 2);
    await Promise.all([fresh.sends(3), old.becomes('joined', 2)]);
    await sleep(2000);
    const end = performance.now();
    const late = () => [...old.sent, ...fresh.sent].filter((time) => time > end - 1000);
    await until(() => late().length > 2);
    expect(largestWindow(late(), windowMs)).toBeLessThanOrEqual(2);
  });

  it('is kept beside another one by requests that count against both, and neither kind starves', async (context) => {
    const { open } = setup(context);
    const narrow = { name: 'narrow', limit: 60, windowMs };
    const [combined, single] = [
      [open(), open()],
      [open(), open()],
    ];
    for (const each of combined) each.saturate([narrow, rateLimit], 40);
    for (const each of single) each.saturate(rateLimit, 100);
    await Promise.all([...combined, ...single].map(({ sends }) => sends(100)));
    const ofNarrow = combined.flatMap(({ sent }) => sent);
    const ofWide = [...ofNarrow, ...single.flatMap(({ sent }) => sent)];
    expect(largestWindow(ofNarrow, windowMs)).toBeLessThanOrEqual(narrow.limit);
    expect(largestWindow(ofWide, windowMs)).toBeLessThanOrEqual(limit);
    expect(largestWindow(ofWide, windowMs)).toBeGreaterThan(0.5 * limit);
  });

  it.concurrent.for([3 * 3_600_000, -3 * 3_600_000])(
    'is kept when the clock of one process is set by %d ms, which changes nothing for any',
    async (stepMs, context) => {
      const { open, spawn } = setup(context);
      const honest = await joined(open());
      const other = spawn(rateLimit, stepMs);
      await until(() => other.sent.length > 100);
      // The clock is set half a second after the first request.
      await sleep(1500);
      const before = other.sent.length;
      await Promise.all([until(() => other.sent.length > before + 200), honest.sends(200)]);
      expect(largestWindow([...honest.sent, ...other.sent], windowMs)).toBeLessThanOrEqual(limit);
      expect([other.lost, honest.states()]).toEqual([[], ['waiting', 'joined']]);
    },
  );
});
