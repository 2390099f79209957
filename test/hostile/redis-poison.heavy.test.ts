// Keys of shared limits that hold what Bottleneck cannot work with: the process says so, tries again without a storm,
// and goes on alone where it may.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';
import { rateLimit, sharer, Tenant, until } from './redis-tenant.js';

const parts = ['all', 'urgent'];
const keys = [
  'settings',
  'job_weights',
  'job_expirations',
  'job_clients',
  'client_running',
  'client_num_queued',
  'client_last_registered',
  'client_last_seen',
];
const keyEnds = [':limits', ...parts.flatMap((part) => keys.map((key) => `:${part}_${key}`))];

let redis: RedisServer;
let names = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

async function setup(
  { onTestFinished }: TestContext,
  whenRedisIsDown: 'wait' | { readonly share: number } = 'wait',
  server = redis,
) {
  names += 1;
  const name = `name-${names}`;
  const tenant = new Tenant(server.port, name);
  const opened = sharer({ url: server.url, name, whenRedisIsDown });
  onTestFinished(() => {
    opened.stop();
    tenant.leave();
  });
  opened.saturate(rateLimit, 20);
  await opened.becomes('joined');
  const prefix = (await tenant.key(':limits')).replace(/:limits$/, '');
  const nameOf = (end: string) => (end === ':limits' ? `${prefix}${end}` : `b_${prefix}${end}`);
  const { events } = opened;
  /** Resolves when a reason matches: on a loaded machine, Redis may seem not to respond before. */
  const leavesWith = (reason: RegExp) => until(() => events.some((event) => reason.test(event.reason)));
  /** Resolves when the process joins after its keys are deleted. */
  const joinsAgain = async () => {
    const joined = () => events.filter(({ state }) => state === 'joined').length;
    const before = joined();
    await tenant.deleteAll();
    await until(() => joined() > before);
  };
  return {
    ...opened,
    tenant,
    nameOf,
    leavesWith,
    joinsAgain,
    reason: () => events.findLast(({ state }) => state === 'lost')?.reason,
  };
}

describe.skipIf(!hasRedisServer)('an invalid key of shared limits', { concurrent: true, timeout: 40_000 }, () => {
  it.for(keyEnds)(
    '%s of the wrong type makes a process leave, report why, and join again when the keys are deleted',
    async (end, context) => {
      const { tenant, nameOf, leavesWith, joinsAgain, sent } = await setup(context);
      await tenant.redis.multi().del(nameOf(end)).set(nameOf(end), 'poison').exec();
      await leavesWith(
        /^(Redis keys of rate limit "test" hold data that this package did not write: delete the keys|a key in Redis has the wrong type$)/,
      );
      await joinsAgain();
      const before = sent.length;
      await until(() => sent.length > before);
    },
  );

  it.for([
    ['running', '5000000'],
    ['running', '-1'],
    ['running', 'many'],
    ['running', '1e3'],
    ['nextRequest', 'never'],
    ['reservoir', '1'],
    ['minTime', '100000'],
    ['strategy', '3'],
    ['highWater', '0'],
    ['groupTimeout', '1'],
    ['clientTimeout', '-1'],
    ['version', 'x'],
    ['id', 'other'],
    ['capacityPriorityCounter', 'x'],
  ] as const)('makes a process leave: setting %s = %s', async ([field, value], context) => {
    const { tenant, nameOf, leavesWith, joinsAgain } = await setup(context);
    await tenant.redis.hset(nameOf(':all_settings'), field, value);
    // Whichever is noticed first: the key itself, or what Bottleneck does with it.
    await leavesWith(
      /hold data that this package did not write|Redis (was flushed|rejected a command|no longer knows this process)/,
    );
    await joinsAgain();
  });

  it('is reported once with its keys after Redis was lost', async (context) => {
    const own = await startRedis();
    context.onTestFinished(() => own.stop());
    const { tenant, nameOf, becomes, events } = await setup(context, 'wait', own);
    const reports = () => events.filter(({ reason }) => reason.includes('delete the keys'));
    await tenant.redis
      .multi()
      .hset(nameOf(':all_settings'), 'minTime', '100000')
      .call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      .exec();
    await until(() => reports().length > 0);
    await sleep(3000);
    expect(reports().length).toBe(1);
    await tenant.deleteAll();
    await becomes('joined', 2);
  });

  it('is reported with its keys while the process uses its share', async (context) => {
    const own = await startRedis();
    context.onTestFinished(() => own.stop());
    const { tenant, nameOf, becomes, events } = await setup(context, { share: 0.25 }, own);
    const password = ['CONFIG', 'SET', 'requirepass', 'x'] as const;
    await tenant.redis
      .multi()
      .call(...password)
      .call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      .exec();
    await becomes('alone');
    await tenant.redis
      .multi()
      .hset(nameOf(':all_settings'), 'minTime', '100000')
      .call('CONFIG', 'SET', 'requirepass', '')
      .exec();
    await until(() => events.at(-1)?.reason.includes('delete the keys') === true);
    expect(events.at(-1)?.state).toBe('alone');
  });

  it('delays permits by at most seconds when the time of the next permit is ahead', async (context) => {
    const { tenant, nameOf, sent, reason } = await setup(context);
    await until(() => sent.length > 0);
    // Repeatedly, so that every requested lease gets a start time three hours ahead.
    const endsAt = performance.now() + 1500;
    while (performance.now() < endsAt) {
      await tenant.redis.hset(nameOf(':all_settings'), 'nextRequest', Date.now() + 3 * 3_600_000);
      await sleep(1);
    }
    const before = sent.length;
    await until(() => sent.length > before + rateLimit.limit);
    expect(reason() ?? '').not.toContain('delete the keys');
  });

  it('causes ever fewer attempts to join', async (context) => {
    const own = await startRedis();
    context.onTestFinished(() => own.stop());
    const { tenant, nameOf, becomes } = await setup(context, 'wait', own);
    await tenant.redis.hset(nameOf(':all_settings'), 'nextRequest', 'poison');
    await becomes('lost');
    await sleep(3000);
    const connections = async () =>
      Number(/total_connections_received:(\d+)/.exec(await tenant.redis.info('stats'))?.[1]);
    const before = await connections();
    await sleep(6000);
    // One attempt in two seconds, of two connections.
    expect((await connections()) - before).toBeLessThanOrEqual(8);
  });

  it('lets a process use its share until the keys are deleted', async (context) => {
    const { tenant, nameOf, becomes, sent } = await setup(context, { share: 0.25 });
    await tenant.redis.multi().del(nameOf(':urgent_settings')).set(nameOf(':urgent_settings'), 'poison').exec();
    await becomes('alone');
    const aloneAt = performance.now();
    const alone = () => sent.filter((time) => time >= aloneAt);
    await until(() => alone().length > rateLimit.limit);
    expect(largestWindow(alone(), rateLimit.windowMs)).toBeLessThanOrEqual(rateLimit.limit / 4);
    await tenant.deleteAll();
    await becomes('joined', 2);
    await sleep(500);
    expect(largestWindow(sent, rateLimit.windowMs)).toBeLessThanOrEqual(rateLimit.limit);
  });
});
