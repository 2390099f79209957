// A limit that is changed while processes share it, as a rolling deployment does: several schedulers, processes that are
// killed, a real redis-server, counted windows.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { RateLimit } from 'exchange-rx';
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';
import { rateLimit, lateArrivalMs, sharersFor, until } from './redis-tenant.js';

const program = fileURLToPath(new URL('redis-replica.ts', import.meta.url));
const small: RateLimit = { ...rateLimit, limit: 60 };
const { windowMs } = rateLimit;

let redis: RedisServer;
let names = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

function setup(context: TestContext) {
  names += 1;
  const name = `name-${names}`;
  const children: ChildProcess[] = [];
  context.onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  return {
    open: sharersFor(context, { url: redis.url, name }),
    /**
     * A process of its own that sends without pause, with this limit; it can be killed. Its times are by the wall
     * clock.
     */
    replica: (which: RateLimit) => {
      const child = spawn(
        process.execPath,
        ['--import', 'tsx', program, redis.url, name, String(which.limit), String(windowMs), String(lateArrivalMs)],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      children.push(child);
      const sent: number[] = [];
      let rest = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        sent.push(...lines.map(Number));
      });
      return { sent, kill: () => child.kill('SIGKILL') };
    },
  };
}

/** `performance.now()` as the wall clock. */
const wall = (times: readonly number[]) => times.map((time) => time + performance.timeOrigin);

describe.skipIf(!hasRedisServer)('a limit that processes share', { timeout: 60_000 }, () => {
  it('is the lowest announced limit, for all, as soon as its process joins', async (context) => {
    const { open } = setup(context);
    const old = [open(), open()];
    for (const each of old) each.saturate();
    await Promise.all(old.map(({ becomes }) => becomes('joined')));
    await sleep(1000);
    const all = () => [...old, fresh].flatMap(({ sent }) => sent);
    const fresh = open();
    fresh.saturate(small);
    await fresh.becomes('joined');
    const joinedAt = performance.now();
    await until(() => fresh.sent.length > 100);
    // What was granted before it joined is back when a lease's life has passed.
    const since = all().filter((time) => time >= joinedAt + 1000);
    expect(largestWindow(all(), windowMs)).toBeLessThanOrEqual(rateLimit.limit);
    expect(largestWindow(since, windowMs)).toBeLessThanOrEqual(small.limit);
    for (const { events } of old) {
      expect(events.at(-1)?.reason).toBe(
        'rate limit "test" is 60 instead of 200, because another process announces a lower limit',
      );
    }
  });

  it('has one window: a process with another one is refused, reports how to change it, and sends nothing', async (context) => {
    const { open } = setup(context);
    const first = open();
    first.saturate();
    await first.becomes('joined');
    const other = open({ shareWhenDown: 0.5 });
    other.saturate({ ...rateLimit, windowMs: 250 });
    await other.becomes('lost');
    expect(other.events.at(-1)?.reason).toBe(
      'rate limit "test" has a window of 250 ms here and 500 ms in the processes that share it: stop them first, or pass another name to shareOverRedis()',
    );
    await sleep(3000);
    expect(other.sent.length).toBe(0);
    expect(first.events.map(({ state }) => state)).not.toContain('lost');
  });

  it('can be raised by one process after another: the higher limit applies when the last process with the lower one is gone', async (context) => {
    const { open, replica } = setup(context);
    const [first, second] = [replica(small), replica(small)];
    await until(() => first.sent.length > 60 && second.sent.length > 60);
    const next = open();
    next.saturate();
    await until(() => next.sent.length > 30);
    first.kill();
    const another = open();
    another.saturate();
    await until(() => another.sent.length > 30);
    const all = () => [...first.sent, ...second.sent, ...wall(next.sent), ...wall(another.sent)];
    second.kill();
    const killedAt = Date.now();
    await until(() => next.events.at(-1)?.reason === 'limits are shared over Redis');
    const raisedAt = Date.now();
    // The permits of the process that was killed are back: a lease of it lived for 975 ms.
    expect(raisedAt - killedAt).toBeGreaterThan(975);
    await sleep(1500);
    expect(
      largestWindow(
        all().filter((time) => time < raisedAt - 100),
        windowMs,
      ),
    ).toBeLessThanOrEqual(small.limit);
    await until(() => largestWindow(all(), windowMs) > small.limit);
    expect(largestWindow(all(), windowMs)).toBeLessThanOrEqual(rateLimit.limit);
    for (const { events } of [next, another]) expect(events.map(({ state }) => state)).not.toContain('lost');
  });

  it.concurrent(
    'is divided by its lower value when Redis goes down while two values are announced',
    async (context) => {
      const own = await startRedis();
      context.onTestFinished(() => own.stop());
      const { open } = setup(context);
      const options = { url: own.url, shareWhenDown: 0.5 };
      const old = open(options);
      old.saturate();
      await until(() => old.sent.length > 200);
      const fresh = open(options);
      fresh.saturate(small);
      await until(() => fresh.sent.length > 60 && old.events.filter(({ state }) => state === 'joined').length > 1);
      await own.stop();
      await Promise.all([old.becomes('alone'), fresh.becomes('alone')]);
      const aloneAt = performance.now();
      const all = () => [...old.sent, ...fresh.sent].filter((time) => time > aloneAt);
      await until(() => all().length > 200);
      expect(largestWindow(all(), windowMs)).toBeLessThanOrEqual(small.limit);
      expect(largestWindow(all(), windowMs)).toBeGreaterThan(small.limit / 2);
    },
  );

  it.concurrent('is agreed without sending the script with each beat, also after SCRIPT FLUSH', async (context) => {
    const own = await startRedis();
    context.onTestFinished(() => own.stop());
    const { open } = setup(context);
    const one = open({ url: own.url });
    one.saturate(small);
    await until(() => one.sent.length > 0);
    const calls = async (command: string) =>
      Number(
        new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(
          String(await own.command('INFO', 'commandstats')),
        )?.[1] ?? 0,
      );
    const before = await calls('eval');
    await sleep(2000);
    expect((await calls('eval')) - before).toBe(0);
    await own.command('SCRIPT', 'FLUSH');
    await sleep(500);
    const sentBefore = one.sent.length;
    await until(() => one.sent.length > sentBefore + 60);
    expect((await calls('eval')) - before).toBeGreaterThan(0);
    expect(one.events.map(({ state }) => state)).not.toContain('lost');
  });

  it('can be lowered below the size of a lease', async (context) => {
    const large: RateLimit = { ...rateLimit, limit: 3200 };
    const tiny: RateLimit = { ...rateLimit, limit: 2 };
    const { open } = setup(context);
    const old = open();
    old.saturate(large);
    await until(() => old.sent.length > 1000);
    const fresh = open();
    fresh.saturate(tiny, 2);
    await until(() => fresh.sent.length > 2 && old.events.filter(({ state }) => state === 'joined').length > 1);
    await sleep(2000);
    const end = performance.now();
    const late = [...old.sent, ...fresh.sent].filter((time) => time > end - 1000);
    expect(largestWindow(late, windowMs)).toBeLessThanOrEqual(2);
    expect(late.length).toBeGreaterThan(0);
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
    await until(() => [...combined, ...single].every(({ sent }) => sent.length > 100));
    const ofNarrow = combined.flatMap(({ sent }) => sent);
    const ofWide = [...ofNarrow, ...single.flatMap(({ sent }) => sent)];
    expect(largestWindow(ofNarrow, windowMs)).toBeLessThanOrEqual(narrow.limit);
    expect(largestWindow(ofWide, windowMs)).toBeLessThanOrEqual(rateLimit.limit);
    expect(largestWindow(ofWide, windowMs)).toBeGreaterThan(0.5 * rateLimit.limit);
  });
});
