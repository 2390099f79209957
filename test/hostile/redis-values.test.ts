// What a tenant of the same Redis can write to the keys of shared limits, and what follows from it: a real
// redis-server, short windows.
import type { RateLimit } from 'exchange-rx';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';
import { rateLimit, sharersFor, Tenant, until } from './redis-tenant.js';

/** Bottleneck grants hundreds of leases in a window: many times this limit, if it is led to. */
const few: RateLimit = { name: 'test', limit: 10, windowMs: 500 };

let redis: RedisServer;
let names = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

/** A name of its own on the server that the tests share, and a tenant who knows it. */
function setup(context: TestContext) {
  names += 1;
  const name = `name-${names}`;
  const tenant = new Tenant(redis.port, name);
  context.onTestFinished(() => {
    tenant.leave();
  });
  return {
    tenant,
    open: sharersFor(context, { url: redis.url, name }),
  };
}

/** Goes on doing this until the test is over. */
function keepOn(context: TestContext, attack: () => Promise<unknown>): void {
  let isOver = false;
  context.onTestFinished(() => {
    isOver = true;
  });
  const next = () => {
    if (!isOver)
      attack().then(
        () => setTimeout(next, 2),
        () => undefined,
      );
  };
  next();
}

describe.skipIf(!hasRedisServer)(
  'a tenant that writes to the keys of shared limits',
  { concurrent: true, timeout: 40_000 },
  () => {
    it.for([
      ['claims that no process holds a permit', (record: string) => record.replace(/ 975 \d+ \d+ /gm, ' 975 0 0 ')],
      ['raises the limit', (record: string) => record.replace(/ 500 10 /g, ' 500 1000000 ')],
      ['makes the record of the process a malformed one', () => 'x'],
      ['makes the record expire', (record: string) => record.replace(/^(\d+) \d+/, '$1 1')],
    ] as const)('makes no process exceed its own limit when it %s', async ([, change], context) => {
      const { tenant, open } = setup(context);
      const { becomes, saturate, sent } = open();
      saturate(few, 30);
      await becomes('joined');
      keepOn(context, async () => {
        const records = await tenant.redis.hgetall(`${tenant.name}:limits`);
        for (const [field, record] of Object.entries(records))
          if (field !== 'server') await tenant.redis.hset(`${tenant.name}:limits`, field, change(record));
      });
      await sleep(1500);
      expect(largestWindow(sent, few.windowMs)).toBeLessThanOrEqual(few.limit);
    });

    it('makes no process exceed its own limit when it deletes the records', async (context) => {
      const { tenant, open } = setup(context);
      const { becomes, saturate, sent } = open();
      saturate(few, 30);
      await becomes('joined');
      await until(() => sent.length > 0);
      keepOn(context, async () => {
        const fields = await tenant.redis.hkeys(`${tenant.name}:limits`);
        await tenant.redis.hdel(`${tenant.name}:limits`, 'none', ...fields.filter((field) => field !== 'server'));
      });
      await sleep(1500);
      expect(largestWindow(sent, few.windowMs)).toBeLessThanOrEqual(few.limit);
    });

    it('starts no cool-down until a malformed time', async (context) => {
      const { tenant, open } = setup(context);
      const { becomes, coolDownUntil, saturate, sent } = open();
      saturate(rateLimit, 5);
      await becomes('joined');
      for (const time of ['Infinity', '1e300', 'text', '', '-5', '0', '0x10', ' 5', '5.5', 'NaN', '9'.repeat(400)]) {
        await tenant.announceCoolDown(time);
        await sleep(100);
        expect(coolDownUntil()).toBeUndefined();
        const before = sent.length;
        await until(() => sent.length > before);
      }
    });

    it('starts a cool-down of at most six windows', async (context) => {
      const { tenant, open } = setup(context);
      const { becomes, coolDownUntil, saturate } = open();
      saturate(rateLimit, 5);
      await becomes('joined');
      await tenant.announceCoolDown('999999999999999');
      await until(() => coolDownUntil() !== undefined);
      expect(coolDownUntil()).toBeLessThanOrEqual(Date.now() + 6 * rateLimit.windowMs + 1);
    });

    it.for([
      'not what it should be',
      '1',
      '',
      `${'0'.repeat(40)}:${'0'.repeat(40)} 0`,
      `${'f'.repeat(40)} ${'9'.repeat(300)}`,
    ])('makes no process take permits early with %j in the key of the server', async (value, context) => {
      const { tenant, open } = setup(context);
      await tenant.redis.hset(`${tenant.name}:limits`, 'server', value);
      const startedAt = performance.now();
      const { saturate, sent } = open();
      saturate(rateLimit, 5);
      await until(() => sent.length > 0);
      expect(Number(sent[0]) - startedAt).toBeGreaterThan(950);
    });

    it('changes no limit with a forged record', async (context) => {
      const { tenant, open } = setup(context);
      const { becomes, events, saturate, sent } = open();
      saturate(rateLimit, 5);
      await becomes('joined');
      const key = `${tenant.name}:limits`;
      for (const value of [
        'garbage',
        '1 TIME',
        '1 TIME\n',
        '1 TIME\nNAME 500 0 975 0 0 0 0 0 0',
        '1 TIME\nNAME 500 1 99999999999999 0 0 0 0 0 0',
        '1 TIME\nNAME 500 99999999999999999999 975 0 0 0 0 0 0',
        '1 TIME\nNAME 500 -5 975 0 0 0 0 0 0',
        '1 TIME\nNAME 500 1 975 0 0 0 0 0 0\nx',
        '1 9999999999999\nNAME 500 1 975 0 0 0 0 0 0',
        '1 0\nNAME 500 1 975 0 0 0 0 0 0',
      ]) {
        const record = value.replace('TIME', String(Date.now())).replace('NAME', encodeURIComponent('"test"'));
        await tenant.redis.hset(key, 'stranger', record);
        await until(async () => (await tenant.redis.hget(key, 'stranger')) === null);
        const before = sent.length;
        await until(() => sent.length > before);
      }
      expect(events.map(({ state }) => state)).toEqual(['waiting', 'joined']);
    });

    it('makes a process wait with a claim of every permit until the claim expires', async (context) => {
      const { tenant, open } = setup(context);
      const { becomes, saturate, sent } = open();
      saturate(rateLimit, 5);
      await becomes('joined');
      const line = `${encodeURIComponent('"test"')} 500 200 975 200 0 0 0 0 0`;
      await tenant.redis.hset(`${tenant.name}:limits`, 'stranger', `1 ${Date.now()}\n${line}`);
      await sleep(200);
      const before = sent.length;
      await until(() => sent.length > before + 200);
    });
  },
);
