// A limit that is changed while processes share it, as a rolling deployment does: several schedulers, a real
// redis-server, counted windows.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { RateLimit } from 'exchange-rx';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';
import { rateLimit, sharer, until } from './redis-tenant.js';

const small: RateLimit = { ...rateLimit, limit: 60 };
const { windowMs } = rateLimit;

let redis: RedisServer;
let names = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

function setup({ onTestFinished }: TestContext) {
  names += 1;
  const name = `name-${names}`;
  const sharers: ReturnType<typeof sharer>[] = [];
  onTestFinished(() => {
    for (const each of sharers) each.stop();
  });
  return {
    open: (
      options: Partial<Parameters<typeof sharer>[0]> = {},
      schedulerOptions: Parameters<typeof sharer>[1] = {},
    ) => {
      const opened = sharer({ url: redis.url, name, ...options }, schedulerOptions);
      sharers.push(opened);
      return opened;
    },
  };
}

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

  it('has the lowest announced reserve for urgent requests', async (context) => {
    const { open } = setup(context);
    const [one, other] = [open({}, { urgentShare: 0.1 }), open({}, { urgentShare: 0 })];
    one.saturate();
    other.saturate();
    await Promise.all([one.becomes('joined'), other.becomes('joined')]);
    await until(() => one.sent.length > 200 && other.sent.length > 200);
    expect(largestWindow([...one.sent, ...other.sent], windowMs)).toBeLessThanOrEqual(rateLimit.limit);
    expect([...one.events, ...other.events].map(({ state }) => state)).not.toContain('lost');
  });

  it('has one window: a process with another one is refused, reports how to change it, and sends nothing', async (context) => {
    const { open } = setup(context);
    const first = open();
    first.saturate();
    await first.becomes('joined');
    const other = open({ whenRedisIsDown: { share: 0.5 } });
    other.saturate({ ...rateLimit, windowMs: 250 });
    await other.becomes('lost');
    expect(other.events.at(-1)?.reason).toBe(
      'rate limit "test" has a window of 250 ms here and 500 ms in the processes that share it: stop them first, or pass another name to shareOverRedis()',
    );
    await sleep(3000);
    expect(other.sent.length).toBe(0);
    expect(first.events.map(({ state }) => state)).not.toContain('lost');
  });
});
