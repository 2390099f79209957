// A key of shared limits that holds what no process wrote: the process says so, tries again without a storm, and goes on
// alone where it may.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { largestWindow } from '../support/largest-window.js';
import { hasRedisServer, startRedis, type RedisServer } from '../support/redis.js';
import { rateLimit, sharer, Tenant, until } from './redis-tenant.js';

let redis: RedisServer;
let names = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

async function setup({ onTestFinished }: TestContext, shareWhenDown = 0, server = redis) {
  names += 1;
  const name = `name-${names}`;
  const tenant = new Tenant(server.port, name);
  const opened = sharer({ url: server.url, name, shareWhenDown });
  onTestFinished(() => {
    opened.stop();
    tenant.leave();
  });
  opened.saturate(rateLimit, 20);
  await opened.becomes('joined');
  /** Replaces the key by one of another type. */
  const poison = () => tenant.redis.multi().del(`${name}:limits`).set(`${name}:limits`, 'poison').exec();
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
    name,
    tenant,
    poison,
    leavesWith,
    joinsAgain,
  };
}

describe.skipIf(!hasRedisServer)('an invalid key of shared limits', { concurrent: true, timeout: 40_000 }, () => {
  it('of the wrong type makes a process leave, report why, and join again when the key is deleted', async (context) => {
    const { poison, leavesWith, joinsAgain, sent } = await setup(context);
    await poison();
    await leavesWith(/^the Redis key "name-\d+:limits" holds data that this package did not write: delete the key$/);
    await joinsAgain();
    const before = sent.length;
    await until(() => sent.length > before);
  });

  it('with too many fields makes a process leave, and join again when the key is deleted', async (context) => {
    const { tenant, name, leavesWith, joinsAgain } = await setup(context);
    await tenant.redis.hset(
      `${name}:limits`,
      Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`field-${index}`, 'x'])),
    );
    await leavesWith(/delete the key/);
    await joinsAgain();
  });

  it('is not needed again when it was deleted: the process waits until all permits have returned', async (context) => {
    const { tenant, leavesWith, becomes } = await setup(context);
    await tenant.deleteAll();
    await leavesWith(/^Redis was flushed or promoted/);
    await becomes('joined', 2);
  });

  it('is reported once with its name after Redis was lost', async (context) => {
    const own = await startRedis();
    context.onTestFinished(() => own.stop());
    const { tenant, name, becomes, events } = await setup(context, 0, own);
    const reports = () => events.filter(({ reason }) => reason.includes('delete the key'));
    await tenant.redis
      .multi()
      .set(`${name}:limits`, 'poison')
      .call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      .exec();
    await until(() => reports().length > 0);
    await sleep(3000);
    expect(reports().length).toBe(1);
    await tenant.deleteAll();
    await becomes('joined', 2);
  });

  it('is reported with its name while the process uses its share', async (context) => {
    const own = await startRedis();
    context.onTestFinished(() => own.stop());
    const { tenant, name, becomes, events } = await setup(context, 0.25, own);
    const password = ['CONFIG', 'SET', 'requirepass', 'x'] as const;
    await tenant.redis
      .multi()
      .call(...password)
      .call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      .exec();
    await becomes('alone');
    await tenant.redis.multi().set(`${name}:limits`, 'poison').call('CONFIG', 'SET', 'requirepass', '').exec();
    await until(() => events.at(-1)?.reason.includes('delete the key') === true);
    expect(events.at(-1)?.state).toBe('alone');
  });

  it('causes at most one attempt to join in a second', async (context) => {
    const own = await startRedis();
    context.onTestFinished(() => own.stop());
    const { tenant, poison, becomes } = await setup(context, 0, own);
    await poison();
    await becomes('lost');
    const connections = async () =>
      Number(/total_connections_received:(\d+)/.exec(await tenant.redis.info('stats'))?.[1]);
    const before = await connections();
    await sleep(4000);
    expect((await connections()) - before).toBeLessThanOrEqual(5);
  });

  it('lets a process use its share until the key is deleted', async (context) => {
    const { tenant, poison, becomes, sent } = await setup(context, 0.25);
    await poison();
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
