// What a tenant of the same Redis can write to the key of shared limits, and what follows from it.
import type { RateLimit } from 'exchange-rx';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer } from '../support/redis.js';
import { lifeMs, rateLimit, sharedRedis, until, windowMs } from '../support/sharing.js';

const few: RateLimit = { ...rateLimit, limit: 10 };
const setup = sharedRedis();

/** A process that has joined and goes on sending. */
async function joined(context: TestContext, which = rateLimit, loops = 5) {
  const all = setup(context);
  const one = all.open();
  one.saturate(which, loops);
  await one.becomes('joined');
  return { ...all, ...one };
}

/** Goes on doing this until the test is over. */
function keepOn({ onTestFinished }: TestContext, attack: () => Promise<unknown>): void {
  let isOver = false;
  onTestFinished(() => {
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

const concurrently = { concurrent: true, timeout: 60_000 };

describe.skipIf(!hasRedisServer)('a tenant that writes to the key of shared limits', concurrently, () => {
  it.for<[string, (record: string) => string | undefined]>([
    ['claims that no process holds a permit', (record) => record.replace(/ 975 \d+ \d+ /gm, ' 975 0 0 ')],
    ['raises the limit', (record) => record.replace(/ 500 10 /g, ' 500 1000000 ')],
    ['makes the record of the process a malformed one', () => 'x'],
    ['makes the record expire', (record) => record.replace(/^(\d+) \d+/, '$1 1')],
    ['deletes the record', () => undefined],
  ])('makes no process exceed its own limit when it %s', async ([, change], context) => {
    const { tenant, sent } = await joined(context, few, 30);
    keepOn(context, async () => {
      const records = await tenant.redis.hgetall(tenant.key);
      for (const [field, record] of Object.entries(records)) {
        const changed = field === 'server' ? record : change(record);
        if (changed === undefined) await tenant.redis.hdel(tenant.key, field);
        else await tenant.redis.hset(tenant.key, field, changed);
      }
    });
    await sleep(1500);
    context.expect(largestWindow(sent, windowMs)).toBeLessThanOrEqual(few.limit);
  });

  it('starts no cool-down until a malformed time', async (context) => {
    const { tenant, usage, sends } = await joined(context);
    for (const time of ['Infinity', '1e300', 'text', '', '-5', '0', '0x10', ' 5', '5.5', 'NaN', '9'.repeat(400)]) {
      await tenant.claim(`200 975 0 0 0 0 0 ${time}`);
      await sleep(60);
      context.expect(usage()?.coolDownUntil).toBeUndefined();
      await sends(1);
    }
  });

  it('starts a cool-down of at most six windows', async (context) => {
    const { tenant, usage } = await joined(context);
    await tenant.claim('200 975 0 0 0 0 0 999999999999999');
    await until(() => usage()?.coolDownUntil !== undefined);
    context.expect(usage()?.coolDownUntil).toBeLessThanOrEqual(Date.now() + 6 * windowMs + 1);
  });

  it.for([
    'not what it should be',
    '1',
    '',
    `${'0'.repeat(40)}:${'0'.repeat(40)} 0`,
    `${'f'.repeat(40)} ${'9'.repeat(300)}`,
  ])('makes no process take permits early with %j in the field of the server', async (value, context) => {
    const { tenant, open } = setup(context);
    await tenant.redis.hset(tenant.key, 'server', value);
    const startedAt = performance.now();
    const { saturate, sends, sent } = open();
    saturate(rateLimit, 5);
    await sends(1);
    context.expect(Number(sent[0]) - startedAt).toBeGreaterThan(lifeMs - 25);
  });

  it('changes no limit with a forged record', async (context) => {
    const { tenant, sends, states } = await joined(context);
    const forge = (record: string) => tenant.redis.hset(tenant.key, 'stranger', record);
    for (const write of [
      () => forge('garbage'),
      () => forge(`1 ${Date.now()}`),
      () => forge(`1 ${Date.now()}\n`),
      () => tenant.claim('0 975 0 0 0 0 0 0'),
      () => tenant.claim('1 99999999999999 0 0 0 0 0 0'),
      () => tenant.claim('99999999999999999999 975 0 0 0 0 0 0'),
      () => tenant.claim('-5 975 0 0 0 0 0 0'),
      () => tenant.claim('1 975 0 0 0 0 0 0\nx'),
      () => tenant.claim('1 975 0 0 0 0 0 0', 9_999_999_999_999),
      () => tenant.claim('1 975 0 0 0 0 0 0', 0),
    ]) {
      await write();
      await until(async () => (await tenant.redis.hget(tenant.key, 'stranger')) === null);
      await sends(1);
    }
    context.expect(states()).toEqual(['waiting', 'joined']);
  });

  it('makes a process wait with a claim of every permit until the claim expires', async (context) => {
    const { tenant, sends } = await joined(context);
    await tenant.claim('200 975 200 0 0 0 0 0');
    await sleep(200);
    await sends(200);
  });
});
