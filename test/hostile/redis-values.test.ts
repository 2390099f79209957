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
      ['sets the number of permits in use far below 0', { running: '-1000000' }],
      ['raises the limit', { maxConcurrent: '1000000' }],
      ['changes the kind of permits', { maxConcurrent: '', running: '0' }],
    ] as const)('makes no process exceed its own limit when it %s', async ([, fields], context) => {
      const { tenant, open } = setup(context);
      const { becomes, saturate, sent } = open();
      saturate(few, 100);
      await becomes('joined');
      const settings = await tenant.key(':all_settings');
      keepOn(context, () => tenant.redis.hset(settings, fields));
      await sleep(2000);
      expect(largestWindow(sent, few.windowMs)).toBeLessThanOrEqual(few.limit);
    });

    it('makes no process exceed its own limit when it deletes the granted permits', async (context) => {
      const { tenant, open } = setup(context);
      const { becomes, saturate, sent } = open();
      saturate(few, 100);
      await becomes('joined');
      await until(() => sent.length > 0);
      const [weights, expirations, settings] = await Promise.all(
        [':all_job_weights', ':all_job_expirations', ':all_settings'].map((end) => tenant.key(end)),
      );
      keepOn(context, () =>
        tenant.redis.multi().del(String(weights), String(expirations)).hset(String(settings), 'running', '0').exec(),
      );
      await sleep(2000);
      expect(largestWindow(sent, few.windowMs)).toBeLessThanOrEqual(few.limit);
    });

    it.for(['Infinity', '1e300', 'text', '', '-5', '0', '0x10', ' 5', '5.5', 'NaN', '9'.repeat(400)])(
      'starts no cool-down with a message of %j',
      async (message, context) => {
        const { tenant, open } = setup(context);
        const { becomes, coolDownUntil, saturate, sent } = open();
        saturate(rateLimit, 5);
        await becomes('joined');
        await tenant.publish(message);
        await sleep(100);
        expect(coolDownUntil()).toBeUndefined();
        const before = sent.length;
        await until(() => sent.length > before);
      },
    );

    it('starts a cool-down of at most maxCoolDownMs', async (context) => {
      const { tenant, open } = setup(context);
      const { becomes, coolDownUntil, saturate } = open({}, { maxCoolDownMs: 1500 });
      saturate(rateLimit, 5);
      await becomes('joined');
      await tenant.publish('999999999999999');
      await until(() => coolDownUntil() !== undefined);
      expect(coolDownUntil()).toBeLessThanOrEqual(Date.now() + 1501);
    });

    it.for([
      'not what it should be',
      '1',
      '',
      `${'0'.repeat(40)}:${'0'.repeat(40)} 0`,
      `${'f'.repeat(40)} ${'9'.repeat(300)}`,
    ])('makes no process take permits early with %j in the key of the server', async (value, context) => {
      const { tenant, open } = setup(context);
      await tenant.redis.set(`${tenant.name}:server`, value);
      const startedAt = performance.now();
      const { saturate, sent } = open();
      saturate(rateLimit, 5);
      await until(() => sent.length > 0);
      expect(Number(sent[0]) - startedAt).toBeGreaterThan(950);
    });

    it('delays processes only for a moment with a key of another type for the server', async (context) => {
      const { tenant, open } = setup(context);
      await tenant.redis.lpush(`${tenant.name}:server`, 'x');
      const { becomes, saturate, sent } = open();
      saturate(rateLimit, 5);
      await becomes('joined');
      await until(() => sent.length > 0);
    });

    it.for([
      [':limits', 'garbage'],
      [':limits', '0 0 500 9999999999999'],
      [':limits', '1 1 500 99999999999999999999'],
      [':limits', '-5 0 500 9999999999999'],
      [':limits', '1 1 500 9999999999999'],
    ] as const)('changes no limit with a forged announcement: %j %j', async ([end, value], context) => {
      const { tenant, open } = setup(context);
      const { becomes, events, saturate, sent } = open();
      saturate(rateLimit, 5);
      await becomes('joined');
      const key = await tenant.key(end);
      await tenant.redis.hset(key, 'stranger', value);
      await until(async () => (await tenant.redis.hget(key, 'stranger')) === null);
      const before = sent.length;
      await until(() => sent.length > before);
      expect(events.map(({ state }) => state)).not.toContain('lost');
    });
  },
);
